import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NotChecked } from '#lib/verify/report.ts'
import { checkAuthority, readTimeStamp } from '#lib/verify/time-stamps/time-stamp.ts'

// Time-stamps as other authorities sign them. openssl writes them; its command for time-stamps has fewer options than that for
// CMS, so the facts are taken from its time-stamp and signed again.

let folder: string
const openssl = (args: string) => execFileSync('openssl', args.split(' '), { cwd: folder, stdio: 'ignore' })
const manifest = Buffer.from('{"type":"evidence-room-bundle-v1"}')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tsa-'))
  await writeFile(join(folder, 'manifest.json'), manifest)
  await writeFile(join(folder, 'serial'), '01\n')
  await writeFile(
    join(folder, 'tsa.cnf'),
    '[tsa]\ndefault_tsa = own\n[own]\nserial = ./serial\nsigner_digest = sha256\ndefault_policy = 1.2.3.4.1\ndigests = sha1,sha256\n',
  )
  for (const [name, key] of [
    ['rsa', 'rsa:2048'],
    ['ec', 'ec -pkeyopt ec_paramgen_curve:P-256'],
  ])
    openssl(
      `req -x509 -newkey ${key} -nodes -keyout ${name}.key -out ${name}.pem -days 2 -subj /CN=tsa -addext extendedKeyUsage=critical,timeStamping`,
    )
})
afterAll(() => rm(folder, { recursive: true }))

/** SEQUENCE with the given bytes. */
function sequence(body: Buffer): Buffer {
  const length = Buffer.from([0x30, 0x82, body.length >> 8, body.length & 0xff])
  return Buffer.concat([length, body])
}

/** A time-stamp with the digest of the manifest, signed with these options of openssl cms. */
async function stamped(digest: string, signer: 'rsa' | 'ec', options: string): Promise<Buffer> {
  openssl(`ts -query -data manifest.json -${digest} -cert -out query.der`)
  openssl('ts -reply -queryfile query.der -token_out -out token.der -config tsa.cnf -inkey rsa.key -signer rsa.pem')
  openssl('cms -verify -noverify -inform DER -in token.der -out facts.der')
  openssl(
    `cms -sign -binary -nodetach -econtent_type 1.2.840.113549.1.9.16.1.4 -in facts.der -outform DER -out answer.der -signer ${signer}.pem -inkey ${signer}.key ${options}`,
  )
  // PKIStatusInfo "granted", and the token.
  return sequence(Buffer.concat([Buffer.from('3003020100', 'hex'), await readFile(join(folder, 'answer.der'))]))
}

const read = async (answer: Buffer) => await readTimeStamp(new Uint8Array(answer), new Uint8Array(manifest))

test.each([
  ['RSA', 'rsa'],
  ['ECDSA', 'ec'],
] as const)('%s with SHA-256 is checked', async (_name, signer) => {
  const stamp = await read(await stamped('sha256', signer, '-md sha256'))
  await checkAuthority(stamp, await readFile(join(folder, `${signer}.pem`), 'utf8'))
  expect(Math.abs(stamp.at - Date.now())).toBeLessThan(60_000)
})

test.each([
  ['RSA-PSS', 'sha256', 'rsa', '-md sha256 -keyopt rsa_padding_mode:pss', 'RSA-PSS'],
  ['a signature with SHA-1', 'sha256', 'rsa', '-md sha1', 'SHA-1'],
  ['a signature by ECDSA with SHA-1', 'sha256', 'ec', '-md sha1', 'SHA-1'],
  ['a digest of the manifest with SHA-1', 'sha1', 'rsa', '-md sha256', 'SHA-1'],
  ['a signer named by its subjectKeyIdentifier', 'sha256', 'rsa', '-md sha256 -keyid', 'subjectKeyIdentifier'],
] as const)('%s is not checked, and not called wrong', async (_name, digest, signer, options, reason) => {
  const answer = await stamped(digest, signer, options)
  const outcome = await read(answer).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(NotChecked)
  expect((outcome as Error).message).toContain(reason)
})

test('a changed signature with a known scheme is wrong', async () => {
  const answer = await stamped('sha256', 'rsa', '-md sha256')
  const last = answer.length - 1
  answer[last] = (answer[last] ?? 0) ^ 1
  await expect(read(answer)).rejects.toThrow('does not match')
})
