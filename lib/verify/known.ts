import type { Archive } from './archive.ts'
import { type Json, member } from './bytes.ts'

// The closed list of what archives of versions 1 and 2 contain. What is not on it may be right, but no check covers it: it must
// not look as if one did.

const dayText = String.raw`\d{4}-\d{2}-\d{2}`
const rowFileNames =
  'members|agents|agent-owners|agent-versions|releases|policies|policy-names|policy-bindings|executions|execution-events|execution-steps|execution-spans|input-events|input-waits|input-resolutions|files|file-uses|approvals|approval-questions|approval-revisions|approval-terms|approval-votes|standing-grants|standing-grant-uses|decisions'
const knownFiles = [
  String.raw`(?:export|chain)\.json`,
  String.raw`report\.html`,
  String.raw`keys/vkeys\.txt`,
  String.raw`(?:${rowFileNames}|traces|omissions|other-records)\.ndjson`,
  String.raw`audit/${dayText}\.ndjson`,
  String.raw`proofs/seals\.checkpoint`,
  String.raw`proofs/(?:other/)?${dayText}\.(?:checkpoint|seal\.tlog-proof)`,
  String.raw`proofs/${dayText}\.leaves`,
  String.raw`traces/${dayText}\.(?:spans|resources|batches)\.ndjson`,
  String.raw`raw/${dayText}\.values\.ndjson`,
]
const knownPath = new RegExp(`^data/(?:${knownFiles.join('|')})$`)

/** The members of manifest.json, and those of its objects. Kinds of records are compared with the files. */
const knownMembers = new Map([
  [
    '',
    'type formatVersion specVersion exportId tenant scope purpose period requestedPeriod previousExportId heads rows createdAt sealedAt createdBy status options files payloadOxum payloadManifestSha256 counts days omissions omissionCount signer timeStampAuthority hashing software',
  ],
  ['tenant', 'externalId name demo'],
  ['scope', 'agentId executionId approvalId'],
  ['period', 'start end'],
  ['requestedPeriod', 'start end'],
  ['heads', 'seals'],
  ['rows', 'asOf allBound spansBound steps keyedFrom'],
  ['createdBy', 'type id'],
  ['options', 'includeProofs rawPayloads masked'],
  ['files', 'path sha256 bytes mediaType records'],
  ['days', 'date size root open checkpointSha256 checkpoint leaves sealProof'],
  ['signer', 'keyId fingerprint'],
  ['hashing', 'leaf canonicalization'],
  ['software', 'name version'],
])
const omissionMembers = 'resource id reason'

/** The files below data/ and the members of manifest.json that no check of this verifier is about, in words. */
export function unknownIn(archive: Archive, manifest: Json): string[] {
  const found = new Set<string>()
  for (const path of archive.paths()) if (path.startsWith('data/') && !knownPath.test(path)) found.add(path)
  for (const [name, list] of [...knownMembers, ['omissions', omissionMembers] as const]) {
    const value = name === '' ? manifest : (member(manifest, name) ?? null)
    for (const one of Array.isArray(value) ? value : [value])
      for (const other of membersBeyond(one, list.split(' ')))
        found.add(`the member ${name === '' ? other : `${name}.${other}`} of manifest.json`)
  }
  return [...found]
}

/**
 * The files of every archive that are for people, in words: the holder of the key can write anything in them, and no check can
 * tell.
 */
export function onlySealed(archive: Archive): { name: string; detail: string }[] {
  const programs = ['README.txt', 'verify.html', 'verify.mjs'].filter((path) => archive.has(path))
  return [
    ...['data/report.html']
      .filter((path) => archive.has(path))
      .map((path) => ({
        name: 'Report',
        detail: `${path} sums up the rows for people, and as in every archive only the seal covers it. What counts are the rows.`,
      })),
    ...(programs.length === 0
      ? []
      : [
          {
            name: 'Instructions and programs',
            detail: `As in every archive, only the seal covers ${programs.join(', ')}. If you don’t know whose key it is, check with a verifier that you have from elsewhere.`,
          },
        ]),
  ]
}

/** The names of an object's members that are not in the list. */
export const membersBeyond = (value: Json, names: readonly string[]): string[] =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? []
    : Object.keys(value).filter((name) => !names.includes(name))
