import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { LoadedConsole } from './load-build.ts'

/** The address of the command line: one file that Node runs without installing anything. */
export const commandLinePath = '/cli/countersign.mjs'

/** The build's files and the command line that was built into `file`. Unchanged without one: a server may run without it. */
export function withCommandLine(build: LoadedConsole, file: string): LoadedConsole {
  if (!existsSync(file)) return build
  const identity = readFileSync(file)
  const headers = {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=0, must-revalidate',
    etag: `"${createHash('sha256').update(identity).digest('base64url')}"`,
    vary: 'accept-encoding',
  }
  return {
    ...build,
    files: new Map([...build.files, [commandLinePath, { headers, identity, gzip: gzipSync(identity) }]]),
  }
}
