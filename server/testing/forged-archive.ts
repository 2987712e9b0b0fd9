import { createHash, generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { canonicalJson } from '#lib/jcs.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'
import { kindOf } from '#lib/verify/seal.ts'
import { sealKeyFingerprint } from '#server/evidence/archive/bag.ts'
import { sigstoreBundle } from '#server/evidence/archive/sigstore.ts'
import { openZip } from '#server/evidence/archive/zip-writer.ts'

// Archives as a forger makes them, who has the program and every format but not the service's key.

/** An archive's files by their path below its folder, in the order of the ZIP. */
export type ArchiveFiles = ReadonlyMap<string, Buffer>

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex')

/** A file's content, as pieces if it is too large for memory. */
export type Content = Buffer | AsyncIterable<Buffer>

/** The ZIP of these files, as the service packs it. */
export async function packArchive(folder: string, files: Iterable<readonly [string, Content]>): Promise<Buffer> {
  const out = new PassThrough()
  const zip = openZip(out)
  const whole = buffer(out)
  for (const [path, data] of files) await zip.write(`${folder}/${path}`, Buffer.isBuffer(data) ? once(data) : data)
  await zip.finish()
  return await whole
}

async function* once(data: Buffer): AsyncGenerator<Buffer> {
  yield data
}

/**
 * The files with their lists, counts and signatures made again by a key of the forger, after `change` was applied to the
 * evidence and to the manifest: everything that can be consistent is. `key`: the one of an operator who seals several archives.
 */
export function resealed(
  files: ArchiveFiles,
  change: { files?: (files: Map<string, Buffer>) => void; manifest?: (manifest: JsonObject) => JsonObject },
  key: KeyPairKeyObjectResult = generateKeyPairSync('ed25519'),
): Map<string, Buffer> {
  const forged = new Map(files)
  change.files?.(forged)
  const payload = [...forged].filter(([path]) => path.startsWith('data/'))
  const list = Buffer.from(payload.map(([path, data]) => `${sha256(data)}  ${path}\n`).join(''))
  const before: JsonValue = JSON.parse(String(forged.get('manifest.json')))
  if (!isJsonObject(before)) throw new Error('The archive lacks its manifest.')
  const { privateKey, publicKey } = key
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const described = describe(payload, before)
  const oxum = `${payload.reduce((sum, [, data]) => sum + data.length, 0)}.${payload.length}`
  const manifest = {
    ...before,
    ...described,
    payloadOxum: oxum,
    signer: { keyId: 'forged', fingerprint: sealKeyFingerprint(pem) },
    payloadManifestSha256: sha256(list),
  }
  const signed = Buffer.from(canonicalJson(change.manifest?.(manifest) ?? manifest))
  forged.set('manifest.json', signed)
  forged.set('manifest-sha256.txt', list)
  const info = String(forged.get('bag-info.txt')).replace(/Payload-Oxum: .*/, `Payload-Oxum: ${oxum}`)
  forged.set('bag-info.txt', Buffer.from(info))
  const tags = [...forged].filter(([path]) => !/^(?:data|seal)\/|^tagmanifest/.test(path))
  const tagList = Buffer.from(tags.map(([path, data]) => `${sha256(data)}  ${path}\n`).join(''))
  forged.set('tagmanifest-sha256.txt', tagList)
  forged.set('seal/manifest.json.sig', sign(null, signed, privateKey))
  if (forged.has('seal/tagmanifest-sha256.txt.sig'))
    forged.set('seal/tagmanifest-sha256.txt.sig', sign(null, tagList, privateKey))
  forged.set('seal/seal.pub.pem', Buffer.from(pem))
  const subjects = [
    { path: 'manifest.json', sha256: sha256(signed) },
    { path: 'tagmanifest-sha256.txt', sha256: sha256(tagList) },
  ]
  const bundle = sigstoreBundle(subjects, {}, { keyId: sealKeyFingerprint(pem), signingKey: privateKey })
  forged.set('seal/bundle.sigstore.json', Buffer.from(bundle))
  return forged
}

/** `files` and `counts` of the manifest for the files as they are now. */
function describe(payload: readonly (readonly [string, Buffer])[], before: JsonObject) {
  const known = new Map<JsonValue | undefined, JsonObject>(
    (Array.isArray(before.files) ? before.files : []).flatMap((file) =>
      isJsonObject(file) ? [[file.path, file]] : [],
    ),
  )
  const counts: Record<string, number> = {}
  const kind = payload.some(([path]) => path === 'data/traces.ndjson')
    ? kindOf
    : (path: string) => (path.split('/')[1] ?? '').replace(/\.ndjson$/, '')
  const files = payload.map(([path, data]) => {
    const file: JsonObject = { ...known.get(path), path, sha256: sha256(data), bytes: data.length }
    if (!path.endsWith('.ndjson')) return file
    const records = String(data).split('\n').length - 1
    counts[kind(path)] = (counts[kind(path)] ?? 0) + records
    return { ...file, records }
  })
  return { files, counts }
}
