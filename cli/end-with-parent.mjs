// Preloaded into a program whose standard input is a pipe from its parent: the pipe closes when the parent ends, even by
// SIGKILL, and the program then ends too.
import { isMainThread } from 'node:worker_threads'

if (isMainThread)
  process.stdin
    .on('close', () => process.exit(1))
    .resume()
    .unref()
