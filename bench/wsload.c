// wsload.c - single-threaded epoll WebSocket load generator for JSON chat servers.
// Build: gcc -O2 -o wsload wsload.c     Docs: docs/bench.md
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64; typedef uint8_t u8;
enum { ST_CONNECTING, ST_HANDSHAKE, ST_JOINING, ST_READY, ST_CLOSING, ST_DEAD };

typedef struct conn {
  int fd, idx, st, chan, ev;
  u64 t0;                       // connect start
  u8 hdr[14]; int hlen;         // partial frame header
  u64 need, got; int op, fin;   // current payload
  char *buf; size_t bcap;       // accumulates a payload that spans reads
  char *out; size_t olen, ocap, ooff; // unsent bytes
  char *hs; int hslen;          // handshake response bytes
  long long lastseq;
  u64 frames, rx;               // received: frames, bytes
} conn;

static struct { const char *mode,*url,*join[16],*msg,*ready,*chan,*hdr[16],*seqkey,*count,*raw; int njoin,nhdr;
  int conns,senders,window,size,channels,conc,pid,quiet,binary,leavers,expect; double rate,dur,warm,hold,settle; int rotsrc; } O;
static char host[256], path[2048]; static int port; static struct sockaddr_in sa;
static int ep; static conn *C; static u64 now_cache;
static u64 sent, recvd, recv_bytes, frames_all, seq_errs, closed_unexp, conn_fail, ready_n, hs_fail, srv_close;
static u64 rx_bytes, churn_done; static int measuring; static u64 m_recv, m_bytes, m_sent;
static u64 rng = 88172645463325252ULL;
static u64 xr(void){ rng ^= rng<<13; rng ^= rng>>7; rng ^= rng<<17; return rng; }
static u64 nowns(void){ struct timespec t; clock_gettime(CLOCK_MONOTONIC,&t); return (u64)t.tv_sec*1000000000ull+t.tv_nsec; }
static void die(const char*f,...){ va_list a; va_start(a,f); vfprintf(stderr,f,a); va_end(a); fputc('\n',stderr); exit(2); }

// --- log-linear histogram, 128 sub-buckets per octave (<0.8% error)
#define SUB 7
static u64 H[64<<SUB]; static u64 Hn, Hmax; static double Hsum;
static int hb(u64 v){ if(v<(1<<SUB)) return v; int e=63-__builtin_clzll(v); return ((e-SUB+1)<<SUB)+((v>>(e-SUB))-(1<<SUB)); }
static u64 hv(int b){ if(b<(1<<SUB)) return b; int e=(b>>SUB)+SUB-1; u64 m=(b&((1<<SUB)-1))+(1<<SUB); return (m<<(e-SUB))+((1ull<<(e-SUB))>>1); }
static void hrec(u64 v){ H[hb(v)]++; Hn++; Hsum+=v; if(v>Hmax)Hmax=v; }
static double hq(double q){ u64 t=(u64)(q*Hn+0.5),c=0; if(!Hn) return 0; if(t<1)t=1; for(int i=0;i<(64<<SUB);i++){ c+=H[i]; if(c>=t) return hv(i)/1e6; } return Hmax/1e6; }

// --- process tree stats
static u64 pwait;
static void ptree(int pid,u64*rss,u64*pss,u64*cpu,int*np){
  char p[128],b[4096]; FILE*f; snprintf(p,sizeof p,"/proc/%d/stat",pid); f=fopen(p,"r"); if(!f) return;
  size_t n=fread(b,1,sizeof b-1,f); b[n]=0; fclose(f); char*q=strrchr(b,')'); if(!q) return; (*np)++;
  unsigned long long ut=0,st=0; long rs=0; sscanf(q+2,"%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u %*u %ld",&ut,&st,&rs);
  *rss+=(u64)rs*4096; *cpu+=(ut+st)*(1000000000ull/sysconf(_SC_CLK_TCK));
  // schedstat has ns resolution, summed over threads
  u64 ns=0; snprintf(p,sizeof p,"/proc/%d/task",pid); DIR*d=opendir(p); struct dirent*e; int kids[256],nk=0;
  if(d){ while((e=readdir(d))){ if(!isdigit(e->d_name[0])) continue;
      snprintf(p,sizeof p,"/proc/%d/task/%.20s/schedstat",pid,e->d_name); if((f=fopen(p,"r"))){ unsigned long long x=0,w=0; if(fscanf(f,"%llu %llu",&x,&w)==2){ ns+=x; pwait+=w; } fclose(f);} 
      snprintf(p,sizeof p,"/proc/%d/task/%.20s/children",pid,e->d_name); if((f=fopen(p,"r"))){ int k; while(nk<256&&fscanf(f,"%d",&k)==1) kids[nk++]=k; fclose(f);} }
    closedir(d); }
  if(ns){ *cpu-=(ut+st)*(1000000000ull/sysconf(_SC_CLK_TCK)); *cpu+=ns; }
  snprintf(p,sizeof p,"/proc/%d/smaps_rollup",pid); if((f=fopen(p,"r"))){ while(fgets(b,sizeof b,f)) if(!strncmp(b,"Pss:",4)){ *pss+=strtoull(b+4,0,10)*1024; break; } fclose(f);} 
  for(int i=0;i<nk;i++) ptree(kids[i],rss,pss,cpu,np);
}
typedef struct { u64 rss,pss,cpu,wait; int np; } pst;
static pst pstat(void){ pst s={0}; pwait=0; if(O.pid) ptree(O.pid,&s.rss,&s.pss,&s.cpu,&s.np); s.wait=pwait; return s; }
static u64 selfcpu(void){ struct rusage r; getrusage(RUSAGE_SELF,&r); return (u64)(r.ru_utime.tv_sec+r.ru_stime.tv_sec)*1000000000ull+(u64)(r.ru_utime.tv_usec+r.ru_stime.tv_usec)*1000ull; }

// --- template expansion: {i} {chan} {text}
static size_t expand(char*dst,size_t cap,const char*t,conn*c,const char*text,size_t tl){
  size_t n=0; while(*t){ char tmp[64]; const char*s=0; size_t l=0;
    if(*t=='{'){ if(!strncmp(t,"{i}",3)){ l=snprintf(tmp,64,"%d",c->idx); s=tmp; t+=3; }
      else if(!strncmp(t,"{chan}",6)){ if(O.channels>1) l=snprintf(tmp,64,"%s%d",O.chan,c->chan); else l=snprintf(tmp,64,"%s",O.chan); s=tmp; t+=6; }
      else if(!strncmp(t,"{n}",3)){ l=snprintf(tmp,64,"%llu",(unsigned long long)sent+1); s=tmp; t+=3; }
      else if(!strncmp(t,"{text}",6)&&text){ s=text; l=tl; t+=6; } }
    if(!s){ s=t++; l=1; }
    if(n+l>=cap) die("template overflow"); memcpy(dst+n,s,l); n+=l; }
  dst[n]=0; return n; }

static void setev(conn*c,int ev){ if(c->ev==ev) return; struct epoll_event e={.events=ev,.data.ptr=c}; epoll_ctl(ep,c->ev?EPOLL_CTL_MOD:EPOLL_CTL_ADD,c->fd,&e); c->ev=ev; }
static void cclose(conn*c){ if(c->fd>=0){ close(c->fd); c->fd=-1; } if(c->st==ST_READY) ready_n--; c->st=ST_DEAD; c->ev=0; }
static void flushc(conn*c){ while(c->ooff<c->olen){ ssize_t n=send(c->fd,c->out+c->ooff,c->olen-c->ooff,MSG_NOSIGNAL); if(n<0){ if(errno==EAGAIN){ setev(c,EPOLLIN|EPOLLOUT); return; } if(errno==EINTR) continue; closed_unexp++; cclose(c); return; } c->ooff+=n; }
  c->ooff=c->olen=0; setev(c,EPOLLIN); }
static void outb(conn*c,const void*p,size_t n){ if(c->olen+n>c->ocap){ if(c->ooff){ memmove(c->out,c->out+c->ooff,c->olen-c->ooff); c->olen-=c->ooff; c->ooff=0; } if(c->olen+n>c->ocap){ c->ocap=(c->olen+n)*2; c->out=realloc(c->out,c->ocap); } } memcpy(c->out+c->olen,p,n); c->olen+=n; }
static void wsframe(conn*c,int op,const char*p,size_t n){ u8 h[14]; int hl=2; h[0]=0x80|op; if(n<126) h[1]=0x80|n; else if(n<65536){ h[1]=0x80|126; h[2]=n>>8; h[3]=n; hl=4; } else { h[1]=0x80|127; for(int i=0;i<8;i++) h[2+i]=(u64)n>>(56-8*i); hl=10; }
  uint32_t k=(uint32_t)xr()|0x01010101u; memcpy(h+hl,&k,4); hl+=4; outb(c,h,hl);
  outb(c,p,n); char*q=c->out+c->olen-n; u64 kk=((u64)k<<32)|k; size_t i=0; for(;i+8<=n;i+=8){ u64 v; memcpy(&v,q+i,8); v^=kk; memcpy(q+i,&v,8); } for(;i<n;i++) q[i]^=((u8*)&k)[i&3]; }

static char*big; static size_t bigcap;
static void send_msg(conn*c,u64 ts){ // text = ~T<16hex>~ + padding to --size
  static char*text; if(!text){ text=malloc(O.size+64); memset(text,'x',O.size+64); for(int i=20;i<O.size;i+=7) text[i]=' '; }
  char m[24]; snprintf(m,24,"~T%016llx~",(unsigned long long)ts); memcpy(text,m,19); size_t tl=O.size<19?19:O.size;
  if(!big){ bigcap=tl+8192; big=malloc(bigcap); }
  size_t n=expand(big,bigcap,O.msg,c,text,tl); sent++; if(measuring) m_sent++; wsframe(c,O.binary?2:1,big,n); flushc(c); }

static void start(conn*c){ c->fd=socket(AF_INET,SOCK_STREAM|SOCK_NONBLOCK,0); if(c->fd<0) die("socket: %s",strerror(errno)); int one=1; setsockopt(c->fd,IPPROTO_TCP,TCP_NODELAY,&one,sizeof one);
  if(O.rotsrc){ static unsigned r; r++; struct sockaddr_in b={.sin_family=AF_INET}; b.sin_addr.s_addr=htonl(0x7f010001u+((r%200)<<8)+(r/200)%200); setsockopt(c->fd,IPPROTO_IP,IP_BIND_ADDRESS_NO_PORT,&one,sizeof one); bind(c->fd,(void*)&b,sizeof b); }
  c->st=ST_CONNECTING; c->hlen=0; c->need=c->got=0; c->olen=c->ooff=0; c->hslen=0; c->ev=0; c->lastseq=-1; c->op=-1; c->t0=nowns();
  if(connect(c->fd,(void*)&sa,sizeof sa)<0&&errno!=EINPROGRESS){ conn_fail++; close(c->fd); c->fd=-1; c->st=ST_DEAD; return; } setev(c,EPOLLIN|EPOLLOUT); }
static void on_connected(conn*c){ char b[8192],pth[2200]; expand(pth,sizeof pth,path,c,0,0); int n=snprintf(b,sizeof b,"GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n",pth,host,port);
  for(int i=0;i<O.nhdr;i++){ char h[2048]; expand(h,sizeof h,O.hdr[i],c,0,0); n+=snprintf(b+n,sizeof b-n,"%s\r\n",h); } n+=snprintf(b+n,sizeof b-n,"\r\n"); outb(c,b,n); c->st=ST_HANDSHAKE; flushc(c); }
static void mark_ready(conn*c){ if(c->st==ST_READY) return; c->st=ST_READY; ready_n++;
  if(!strcmp(O.mode,"connect")){ hrec(nowns()-c->t0); churn_done++; u8 z[2]={0x03,0xe8}; wsframe(c,8,(char*)z,2); ready_n--; c->st=ST_CLOSING; flushc(c); } }
static void handshaken(conn*c){ c->st=ST_JOINING; char b[8192]; for(int i=0;i<O.njoin;i++){ size_t n=expand(b,sizeof b,O.join[i],c,0,0); wsframe(c,1,b,n);} flushc(c); if(!O.ready||!*O.ready) mark_ready(c); }

static void on_payload(conn*c,int op,const char*p,size_t n){
  frames_all++; c->frames++;
  if(op==8){ srv_close++; if(c->st==ST_CLOSING){ cclose(c); return; } { closed_unexp++; if(!O.quiet&&closed_unexp<4) fprintf(stderr,"conn %d: server close %d %.*s\n",c->idx,n>=2?((u8)p[0]<<8|(u8)p[1]):0,n>2?(int)n-2:0,p+2); } return; }
  if(op==9){ wsframe(c,10,p,n); flushc(c); return; } if(op==10) return;
  if(c->st==ST_JOINING){ if(memmem(p,n,O.ready,strlen(O.ready))) mark_ready(c); }
  if(O.count&&!memmem(p,n,O.count,strlen(O.count))) return;
  const char*q=p,*e=p+n; int found=0;
  while((q=memchr(q,'~',e-q))){ if(e-q>=19&&q[1]=='T'&&q[18]=='~'){ u64 ts=0; int ok=1; for(int i=2;i<18;i++){ int d=q[i]; d=d>='0'&&d<='9'?d-'0':d>='a'&&d<='f'?d-'a'+10:-1; if(d<0){ok=0;break;} ts=ts<<4|d; }
      if(ok){ found++; recvd++; if(measuring){ m_recv++; u64 t=nowns(); hrec(t>ts?t-ts:0); } q+=19; if(n>4096) break; continue; } } q++; }
  if(found){ recv_bytes+=n; if(measuring) m_bytes+=n; if(O.seqkey){ const char*s=memmem(p,n>4096?4096:n,O.seqkey,strlen(O.seqkey)); if(s){ long long v=strtoll(s+strlen(O.seqkey),0,10); if(c->lastseq>=0&&v!=c->lastseq+1) seq_errs++; c->lastseq=v; } else seq_errs++; } }
}
static char rb[1<<18];
static void on_data(conn*c,const char*p,size_t n){
  if(c->st==ST_HANDSHAKE){ if(!c->hs) c->hs=malloc(16384); int take=n>(size_t)(16383-c->hslen)?16383-c->hslen:(int)n; memcpy(c->hs+c->hslen,p,take); int old=c->hslen; c->hslen+=take; c->hs[c->hslen]=0; char*e=strstr(c->hs,"\r\n\r\n"); if(!e) return;
    if(strncmp(c->hs,"HTTP/1.1 101",12)){ hs_fail++; if(!O.quiet&&hs_fail<3) fprintf(stderr,"handshake: %.*s\n",60,c->hs); cclose(c); return; }
    int used=(e+4-c->hs)-old; p+=used; n-=used; free(c->hs); c->hs=0; c->hslen=0; handshaken(c); if(c->st==ST_DEAD) return; }
  while(n){
    if(c->op<0){ // header
      int want=2; for(;;){ if(c->hlen>=2){ int l=c->hdr[1]&127; want=2+(l==126?2:l==127?8:0); } if(c->hlen>=want) break; if(!n) return; c->hdr[c->hlen++]=*p++; n--; }
      int l=c->hdr[1]&127; u64 L=l; if(l==126) L=c->hdr[2]<<8|c->hdr[3]; else if(l==127){ L=0; for(int i=0;i<8;i++) L=L<<8|c->hdr[2+i]; }
      c->op=c->hdr[0]&15; c->fin=c->hdr[0]>>7; c->need=L; c->got=0; c->hlen=0; if(L==0){ int op=c->op; c->op=-1; on_payload(c,op,"",0); if(c->st==ST_DEAD) return; continue; } if(!n) return; }
    if(c->got==0&&n>=c->need){ int op=c->op; size_t L=c->need; c->op=-1; on_payload(c,op,p,L); p+=L; n-=L; if(c->st==ST_DEAD) return; }
    else { if(c->bcap<c->need){ c->bcap=c->need; c->buf=realloc(c->buf,c->bcap); } size_t t=c->need-c->got; if(t>n)t=n; memcpy(c->buf+c->got,p,t); c->got+=t; p+=t; n-=t; if(c->got==c->need){ int op=c->op; c->op=-1; on_payload(c,op,c->buf,c->need); c->got=0; if(c->st==ST_DEAD) return; } }
  } }
static void on_event(conn*c,int ev){
  if(c->st==ST_DEAD) return;
  if(c->st==ST_CONNECTING){ int er=0; socklen_t l=sizeof er; getsockopt(c->fd,SOL_SOCKET,SO_ERROR,&er,&l); if(er){ conn_fail++; cclose(c); return; } if(ev&EPOLLOUT){ on_connected(c); if(c->st==ST_DEAD) return; } }
  else if((ev&EPOLLOUT)&&c->olen>c->ooff){ flushc(c); if(c->st==ST_DEAD) return; }
  if(ev&(EPOLLIN|EPOLLHUP|EPOLLERR)){ for(;;){ ssize_t n=recv(c->fd,rb,sizeof rb,0); if(n>0){ rx_bytes+=n; c->rx+=n; on_data(c,rb,n); if(c->st==ST_DEAD) return; if((size_t)n<sizeof rb) break; } else if(n==0||(errno!=EAGAIN&&errno!=EINTR)){ if(c->st!=ST_CLOSING) closed_unexp++; cclose(c); return; } else break; } } }
static void poll_once(int ms){ struct epoll_event e[256]; int n=epoll_wait(ep,e,256,ms); for(int i=0;i<n;i++) on_event(e[i].data.ptr,e[i].events); }
static void poll_ns(long ns){ struct epoll_event e[256]; struct timespec t={ns/1000000000,ns%1000000000}; int n=epoll_pwait2(ep,e,256,&t,0); for(int i=0;i<n;i++) on_event(e[i].data.ptr,e[i].events); }
static void open_all(int n,double tmo){ u64 t=nowns(); int next=0; while(ready_n<(u64)n){ int infl=next-(int)ready_n; while(next<n&&infl<64){ start(&C[next]); next++; infl++; } poll_once(50); if((nowns()-t)/1e9>tmo||hs_fail>20) { fprintf(stderr,"only %llu of %d ready (hs_fail %llu conn_fail %llu closed %llu)\n",(unsigned long long)ready_n,n,(unsigned long long)hs_fail,(unsigned long long)conn_fail,(unsigned long long)closed_unexp); exit(3);} } }

static void poll_for(double s){ u64 e=nowns()+(u64)(s*1e9); while(nowns()<e) poll_once(20); }
// polls until `quiet` seconds pass without a byte, at most `most`
static void poll_until_quiet(double quiet,double most){ u64 t0=nowns(),last=t0,seen=rx_bytes; for(;;){ poll_once(20); u64 t=nowns(); if(rx_bytes!=seen){ seen=rx_bytes; last=t; } if((t-last)/1e9>quiet||(t-t0)/1e9>most) return; } }

// --leavers of the connections close at once; everything that the server then sends is counted
static int leave(int N){ pst p0=pstat(); u64 rx0=rx_bytes,obs=0,t0=nowns(); int k=O.leavers; for(int i=k;i<N;i++) obs-=C[i].rx;
  for(int i=0;i<k;i++) if(C[i].st==ST_READY){ u8 z[2]={0x03,0xe8}; ready_n--; C[i].st=ST_CLOSING; wsframe(&C[i],8,(char*)z,2); flushc(&C[i]); }
  poll_until_quiet(1.0,20); pst p1=pstat(); int left=0; for(int i=0;i<k;i++) left+=C[i].st==ST_DEAD; for(int i=k;i<N;i++) obs+=C[i].rx;
  printf("{\"mode\":\"leave\",\"conns\":%d,\"leavers\":%d,\"left\":%d,\"bytes\":%llu,\"bytes_to_rest\":%llu,\"server_cpu_s\":%.4f,\"seconds\":%.3f,\"closed\":%llu}\n",N,k,left,(unsigned long long)(rx_bytes-rx0),(unsigned long long)obs,(p1.cpu-p0.cpu)/1e9,(nowns()-t0)/1e9-1.0,(unsigned long long)closed_unexp); return 0; }

// one message is sent; the marked frames that come of it are timed until --expect of them reached each connection
static int listen_to(int N){ pst p0=pstat(); measuring=1; send_msg(&C[0],0); u64 want=(u64)O.expect*N,t0=nowns(),last=t0,seen=0; double first=O.warm+3;
  while(recvd<want){ poll_once(20); u64 t=nowns(); if(recvd!=seen){ seen=recvd; last=t; } if((t-last)/1e9>(seen?3:first)||(t-t0)/1e9>O.dur) break; }
  pst p1=pstat(); printf("{\"mode\":\"listen\",\"conns\":%d,\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"recvd\":%llu,\"missing\":%lld,\"server_cpu_s\":%.4f,\"closed\":%llu}\n",N,hq(.5),hq(.9),hq(.99),Hmax/1e6,(unsigned long long)recvd,(long long)(want-recvd),(p1.cpu-p0.cpu)/1e9,(unsigned long long)closed_unexp); return 0; }

static void parse_url(const char*u){ if(!strncmp(u,"ws://",5)) u+=5; else if(!strncmp(u,"http://",7)) u+=7; else die("only ws:// URLs"); const char*s=strchr(u,'/'); size_t hl=s?(size_t)(s-u):strlen(u); char hp[300]; if(hl>=sizeof hp) die("url"); memcpy(hp,u,hl); hp[hl]=0; char*c=strchr(hp,':'); port=80; if(c){ *c=0; port=atoi(c+1);} snprintf(host,sizeof host,"%s",hp); snprintf(path,sizeof path,"%s",s?s:"/"); sa.sin_family=AF_INET; sa.sin_port=htons(port); if(inet_pton(AF_INET,!strcmp(host,"localhost")?"127.0.0.1":host,&sa.sin_addr)!=1) die("give an IPv4 address or localhost"); if((ntohl(sa.sin_addr.s_addr)>>24)!=127) die("loopback targets only"); }
static void usage(void){ fprintf(stderr,"usage: wsload MODE URL [options]   MODE: fanout rate listen echo idle leave connect   (see docs/bench.md)\n"); exit(1); }
int main(int ac,char**av){
  if(ac<3) usage(); O.mode=av[1]; O.url=av[2]; O.conns=100; O.senders=4; O.window=16; O.size=120; O.channels=1; O.conc=32; O.dur=3; O.warm=0.7; O.hold=1; O.rate=100; O.chan="bench"; O.ready="\"joined\"";
  O.msg="{\"t\":\"msg\",\"ch\":\"{chan}\",\"text\":\"{text}\"}"; const char*defjoin="{\"t\":\"join\",\"ch\":\"{chan}\",\"user\":\"u{i}\"}"; int nojoin=0;
  for(int i=3;i<ac;i++){ char*a=av[i]; 
#define S(n,f) else if(!strcmp(a,n)&&i+1<ac) O.f=av[++i]
#define I(n,f) else if(!strcmp(a,n)&&i+1<ac) O.f=atoi(av[++i])
#define D(n,f) else if(!strcmp(a,n)&&i+1<ac) O.f=atof(av[++i])
    if(0); I("--conns",conns); I("--senders",senders); I("--window",window); I("--size",size); I("--channels",channels); I("--concurrency",conc); I("--pid",pid); D("--rate",rate); D("--duration",dur); D("--warmup",warm); D("--hold",hold); D("--settle",settle); I("--leavers",leavers); I("--expect",expect); S("--count",count); S("--msg",msg); S("--ready",ready); S("--channel",chan); S("--seq-key",seqkey);
    else if(!strcmp(a,"--join")&&i+1<ac) O.join[O.njoin++]=av[++i]; else if(!strcmp(a,"--no-join")) nojoin=1; else if(!strcmp(a,"--header")&&i+1<ac) O.hdr[O.nhdr++]=av[++i]; else if(!strcmp(a,"--quiet")) O.quiet=1; else if(!strcmp(a,"--binary")) O.binary=1; else if(!strcmp(a,"--rotate-source")) O.rotsrc=1; else die("unknown option %s",a); }
  if(!O.njoin&&!nojoin) O.join[O.njoin++]=defjoin; 
  signal(SIGPIPE,SIG_IGN); struct rlimit rl={65536,65536}; setrlimit(RLIMIT_NOFILE,&rl); parse_url(O.url); ep=epoll_create1(0); rng^=nowns();
  int isc=!strcmp(O.mode,"connect"); int N=isc?O.conc:O.conns; C=calloc(N,sizeof(conn)); for(int i=0;i<N;i++){ C[i].idx=i; C[i].fd=-1; C[i].st=ST_DEAD; C[i].op=-1; C[i].chan=i%O.channels; }
  if(O.senders>N) O.senders=N; if(O.channels>1&&O.senders<O.channels) O.senders=O.channels>N?N:O.channels; pst p0=pstat(),p1; u64 t0=nowns(),g0,t1; double per_msg=(double)N/O.channels;
  if(isc){ O.rotsrc=1; u64 end=t0+(u64)((O.warm+O.dur)*1e9), ms=t0+(u64)(O.warm*1e9); u64 base=0; pst pa=p0; g0=selfcpu(); int m=0; for(;;){ u64 n=nowns(); if(!m&&n>=ms){ m=1; base=churn_done; pa=pstat(); g0=selfcpu(); memset(H,0,sizeof H); Hn=0; Hsum=0; Hmax=0; ms=n; } if(n>=end||hs_fail>100) break; for(int i=0;i<N;i++) if(C[i].st==ST_DEAD) start(&C[i]); poll_once(20); }
    t1=nowns(); p1=pstat(); u64 k=churn_done-base; double s=(t1-ms)/1e9; printf("{\"mode\":\"connect\",\"conn_per_s\":%.1f,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"server_cpu_us_per_conn\":%.1f,\"server_cpu\":%.3f,\"gen_cpu\":%.3f,\"conn_fail\":%llu,\"hs_fail\":%llu,\"closed\":%llu}\n",k/s,hq(.5),hq(.99),k?(p1.cpu-pa.cpu)/1e3/k:0,(p1.cpu-pa.cpu)/1e9/s,(selfcpu()-g0)/1e9/s,(unsigned long long)conn_fail,(unsigned long long)hs_fail,(unsigned long long)closed_unexp); return 0; }
  open_all(N,30); double tconn=(nowns()-t0)/1e9;
  if(!strcmp(O.mode,"idle")){ u64 e=nowns()+(u64)(O.hold*1e9); while(nowns()<e) poll_once(50); p1=pstat(); printf("{\"mode\":\"idle\",\"conns\":%d,\"ready\":%llu,\"open_s\":%.3f,\"open_per_s\":%.1f,\"rss0_mb\":%.2f,\"rss1_mb\":%.2f,\"rss_kb_per_conn\":%.2f,\"pss_kb_per_conn\":%.2f,\"nproc\":%d}\n",N,(unsigned long long)ready_n,tconn,N/tconn,p0.rss/1e6,p1.rss/1e6,((double)p1.rss-(double)p0.rss)/1024/N,((double)p1.pss-(double)p0.pss)/1024/N,p1.np); return 0; }
  if(O.settle>0){ poll_for(O.settle); for(int i=0;i<N;i++) C[i].lastseq=-1; p0=pstat(); }
  if(!strcmp(O.mode,"leave")) return leave(N);
  if(!strcmp(O.mode,"listen")) return listen_to(N);
  u64 end,ms; int rate=!strcmp(O.mode,"rate"), echo=!strcmp(O.mode,"echo"); if(echo){ per_msg=1; O.senders=N; } else if(!rate&&strcmp(O.mode,"fanout")) usage();
  u64 st=nowns(); ms=st+(u64)(O.warm*1e9); end=ms+(u64)(O.dur*1e9); int m=0, rr=0; u64 k=0; pst pa=p0; g0=selfcpu(); u64 stall=nowns(), lastr=0; int stalled=0; u64 backlog_max=0;
  for(;;){ u64 n=nowns(); if(!m&&n>=ms){ m=1; measuring=1; pa=pstat(); g0=selfcpu(); ms=n; } if(n>=end) break; if(closed_unexp>(u64)N/2) break;
    if(recvd!=lastr){ lastr=recvd; stall=n; } else if(n-stall>3000000000ull){ stalled=1; break; }
    if(rate){ u64 due=st+(u64)(k*1e9/O.rate); int b=0; while(due<=n&&b<64){ conn*c=&C[rr++%O.senders]; if(c->st==ST_READY) send_msg(c,due); k++; b++; due=st+(u64)(k*1e9/O.rate); } n=nowns(); poll_ns(due>n?(long)(due-n):0); }
    else { int b=0; while((double)recvd+(double)O.window*per_msg>(sent+1)*per_msg-0.5 && b<O.window){ conn*c=&C[rr++%O.senders]; if(c->st==ST_READY) send_msg(c,nowns()); else if(!ready_n) break; b++; } poll_once(20); }
    double bl=sent*per_msg-recvd; if(bl>backlog_max) backlog_max=bl; }
  t1=nowns(); p1=pstat(); double s=(t1-ms)/1e9; u64 g1=selfcpu(); measuring=0;
  // drain
  u64 de=nowns()+2000000000ull; while(nowns()<de&&recvd+0.5<sent*per_msg) poll_once(20);
  printf("{\"mode\":\"%s\",\"conns\":%d,\"channels\":%d,\"size\":%d,\"sent_per_s\":%.1f,\"deliv_per_s\":%.1f,\"MBps\":%.2f,\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"p999_ms\":%.3f,\"max_ms\":%.3f,\"mean_ms\":%.3f,\"server_cpu\":%.3f,\"server_runq_wait\":%.3f,\"gen_cpu\":%.3f,\"server_cpu_us_per_deliv\":%.3f,\"rss_mb\":%.1f,\"sent\":%llu,\"recvd\":%llu,\"missing\":%.0f,\"seq_errs\":%llu,\"closed\":%llu,\"stalled\":%d,\"backlog_max\":%llu}\n",
    O.mode,N,O.channels,O.size,m_sent/s,m_recv/s,m_bytes/s/1e6,hq(.5),hq(.9),hq(.99),hq(.999),Hmax/1e6,Hn?Hsum/Hn/1e6:0,(p1.cpu-pa.cpu)/1e9/s,(p1.wait-pa.wait)/1e9/s,(g1-g0)/1e9/s,m_recv?(p1.cpu-pa.cpu)/1e3/m_recv:0,p1.rss/1e6,(unsigned long long)sent,(unsigned long long)recvd,sent*per_msg-recvd,(unsigned long long)seq_errs,(unsigned long long)closed_unexp,stalled,(unsigned long long)backlog_max);
  return 0; }
