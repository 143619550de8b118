import { parentPort, workerData } from 'node:worker_threads'
import { MirrorFile } from './mirror-file.ts'
import type { FromStore, MirrorFileOptions, StoreReply, StoreRequest } from './store-protocol.ts'

// This module runs in the worker thread that owns the mirror's file.
if (parentPort === null) throw new Error('a worker thread owns the mirror file')
const port = parentPort
const file = new MirrorFile(workerData as MirrorFileOptions)

port.on('message', (request: StoreRequest) => {
  if (request.kind === 'close') {
    file.close()
    port.close()
  } else send(replyTo(request))
})

function replyTo(request: Exclude<StoreRequest, { kind: 'close' }>): StoreReply {
  switch (request.kind) {
    case 'load':
      return file.load((bytes) => send({ kind: 'chunk', bytes }, [bytes.buffer]))
    case 'replace':
      return file.replace(request.write)
    case 'overlay':
      return file.overlay(request.rows)
    case 'follow':
      return file.follow(request.step)
    case 'withhold':
      return file.withhold(request.digest, request.withheld)
  }
}

function send(message: FromStore, moved: ArrayBuffer[] = []): void {
  port.postMessage(message, moved)
}
