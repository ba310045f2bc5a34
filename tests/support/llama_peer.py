"""llama.cpp's own server with all that it can: chat, vectors, metrics. Told: weights, name.

It prints its address once the model is loaded, and ends when its standard input does.
"""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.model_alias = sys.argv[1], {sys.argv[2]}
params.port, params.n_parallel, params.n_ctx = 0, 1, 2048
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.embedding = True
params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
params.endpoint_metrics = True
params.offline, params.ui, params.verbosity = True, False, -1
server = xllamacpp.Server(params)
sys.stdout.write(f"{server.listening_address}\n")
sys.stdout.flush()
sys.stdin.read()
os._exit(0)
