import { createHash, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, toTrustMaterial, Verifier } from '@sigstore/verify'

// Verifies the Sigstore bundle of an extracted archive with the key in the archive, by the library of Sigstore's authors, and
// compares the digests in its statement with the files.

const [, , top = ''] = process.argv
const read = (path: string) => readFileSync(join(top, path))
const bundle = bundleFromJSON(JSON.parse(read('seal/bundle.sigstore.json').toString()))
const trusted = toTrustMaterial(
  {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
  },
  () => ({ publicKey: createPublicKey(read('seal/seal.pub.pem')), validFor: () => true }),
)
new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 }).verify(toSignedEntity(bundle))
const { content } = bundle
if (content.$case !== 'dsseEnvelope') throw new Error('The bundle contains no statement.')
const { subject }: { subject: { name: string; digest: { sha256: string } }[] } = JSON.parse(
  content.dsseEnvelope.payload.toString(),
)
for (const { name, digest } of subject)
  if (createHash('sha256').update(read(name)).digest('hex') !== digest.sha256)
    throw new Error(`${name} is not the file of the statement.`)
process.stdout.write(`${subject.map(({ name }) => name).join(' ')}\n`)
