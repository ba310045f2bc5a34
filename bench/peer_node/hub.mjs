// A plain Node chat hub on `ws`: one channel, the frames of the rooms protocol, nothing kept.
import { WebSocketServer } from "ws";

const members = new Map();
let seq = 0;

function broadcast(frame, except) {
  const text = JSON.stringify({ ...frame, seq: ++seq });
  for (const [nick, socket] of members) {
    if (nick !== except && socket.readyState === 1) socket.send(text);
  }
}

const userlist = () => ({ type: "userlist", users: [...members.keys()] });

new WebSocketServer({ port: Number(process.argv[2]), host: "127.0.0.1", path: "/ws" }).on(
  "connection",
  (socket, request) => {
    const asked = new URL(request.url, "http://localhost").searchParams.get("nick");
    const nick = asked && !members.has(asked) ? asked : `user_${seq}`;
    members.set(nick, socket);
    socket.send(JSON.stringify({ type: "system", text: "***" }));
    broadcast({ type: "join", nick, channel: "#general", text: `${nick} a rejoint #general` }, nick);
    socket.send(JSON.stringify(userlist()));
    socket.on("message", (data) => {
      const { type, text } = JSON.parse(data);
      if (type === "message") broadcast({ type, nick, text, color: "#e0e0e0" });
    });
    socket.on("close", () => {
      members.delete(nick);
      broadcast({ type: "part", nick, channel: "#general", text: `${nick} a quitte #general` });
      broadcast(userlist());
    });
    socket.on("error", () => socket.terminate());
  },
);
