import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** Writes `<folder>.tar.gz`, whose entries belong to root, and returns it with its digest. */
export async function packRelease(folder, name) {
  const file = `${folder}.tar.gz`
  const owners = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
  execFileSync('tar', [...owners, '-czf', file, '-C', dirname(folder), name], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const sha256 = createHash('sha256')
  await pipeline(createReadStream(file), sha256)
  return { file, sha256: sha256.digest('hex') }
}
