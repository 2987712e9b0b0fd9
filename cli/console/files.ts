import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { BuiltFile } from '#lib/console-build.ts'
import type { Bytes } from './bytes.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}
/** Types whose format is already compressed. */
const COMPRESSED = new Set(['image/jpeg', 'image/png', 'font/woff2'])

export const IMMUTABLE = 'public, max-age=31536000, immutable'
export const REVALIDATED = 'public, max-age=0, must-revalidate'

/** The content type by the file's name. Throws for a name that the table does not have: nothing is served as a guess. */
export function typeOf(name: string): string {
  const type = TYPES[extname(name)]
  if (type === undefined) throw new Error(`No content type is known for ${name}. Add it to cli/console/files.ts.`)
  return type
}

export function builtFile(bytes: Bytes, content: Buffer, type: string, cacheControl: string): BuiltFile {
  const headers = {
    'content-type': type,
    'cache-control': cacheControl,
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`,
    vary: 'accept-encoding',
  }
  const file: BuiltFile = { headers, identity: bytes.add(content) }
  if (COMPRESSED.has(type)) return file
  const gzip = gzipSync(content, { level: constants.Z_BEST_COMPRESSION })
  const br = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
  if (gzip.length < content.length) file.gzip = bytes.add(gzip)
  if (br.length < content.length) file.br = bytes.add(br)
  return file
}

/** Every file below `folder` by the path at which `prefix` serves it. */
export function filesBelow(folder: string, prefix: string): [path: string, content: Buffer][] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [`${prefix}/${relative(folder, file).split(sep).join('/')}`, readFileSync(file)])
}
