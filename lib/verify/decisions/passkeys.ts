import { sha256Now } from '../../sha256.ts'
import type { Archive } from '../archive.ts'
import {
  Broken,
  canonical,
  concat,
  encode,
  hex,
  type Json,
  member,
  parseJson,
  textMember,
  toBase64Url,
  utf8,
} from '../bytes.ts'
import type { SeenRecord } from '../log.ts'
import { stateIn } from '../obligations.ts'
import { NotChecked } from '../report.ts'
import { fromBase64Url } from '../rows.ts'
import { passkeySigned } from './cose.ts'

// Decisions that a person confirmed with a passkey: what the device signed is recomputed from the vote and the approval.

/** Collects the confirmed decisions from the records, and then checks their signatures. */
export function passkeyVotes() {
  /** The digest of the confirmation by the record's id. */
  const confirmed = new Map<string, string>()
  /** Keys that the log names, by the passkey's id. */
  const registered = new Map<string, Json>()
  return {
    any: () => confirmed.size > 0,
    add({ record, auditId }: SeenRecord) {
      const [action, details] = [member(record, 'action'), member(record, 'details')]
      const digest = member(details, 'confirmation')
      if ((action === 'approval.approve' || action === 'approval.reject') && typeof digest === 'string')
        confirmed.set(auditId, digest)
      const publicKey = member(details, 'publicKey')
      if (action === 'passkey.registered' && publicKey !== undefined)
        registered.set(String(member(member(record, 'resource'), 'id')), publicKey)
    },
    async check(archive: Archive): Promise<string> {
      const payloads = new Map<string, Json | undefined>()
      for await (const line of archive.linesIn('data/approvals.ndjson')) {
        const approval = stateIn(parseJson(line, 'A line of data/approvals.ndjson'))
        payloads.set(String(member(approval, 'id')), member(approval, 'payloadDigest'))
      }
      let [checked, unnamed] = [0, 0]
      for await (const line of archive.linesIn('data/approval-votes.ndjson')) {
        const vote = stateIn(parseJson(line, 'A line of data/approval-votes.ndjson'))
        const auditId = String(member(vote, 'auditId'))
        const digest = confirmed.get(auditId)
        if (digest === undefined) continue
        await checkVote(vote, digest, payloads)
        const confirmation = member(vote, 'confirmation')
        const known = registered.get(String(member(confirmation, 'passkeyId')))
        if (known === undefined) unnamed += 1
        else if (known !== member(confirmation, 'publicKey'))
          throw new Broken(`The vote ${auditId} was confirmed with another key than the one that was registered.`)
        confirmed.delete(auditId)
        checked += 1
      }
      for (const auditId of confirmed.keys())
        throw new Broken(`The log has a decision confirmed with a passkey (${auditId}) whose vote is missing.`)
      if (unnamed > 0)
        throw new NotChecked(
          `The signatures of ${checked} decisions hold; the log in this archive does not name the keys of ${unnamed}.`,
        )
      return `${checked} decisions were signed by passkeys whose keys the log names.`
    },
  }
}

/** The device signed this decision, and the log has the digest of the whole confirmation. */
async function checkVote(vote: Json, digest: string, payloads: ReadonlyMap<string, Json | undefined>): Promise<void> {
  const of = `The vote ${String(member(vote, 'id'))}`
  const confirmation = member(vote, 'confirmation') ?? null
  const [bound, approvalId] = [member(confirmation, 'bound') ?? null, textMember(vote, 'approvalId', of)]
  if (`sha256:${hex(sha256Now(encode(canonical(confirmation))))}` !== digest)
    throw new Broken(`${of} has another confirmation than the log.`)
  if (member(bound, 'approvalId') !== approvalId || member(bound, 'payloadDigest') !== payloads.get(approvalId))
    throw new Broken(`${of} was confirmed for another request than the one in the archive.`)
  const client = fromBase64Url(textMember(confirmation, 'clientDataJSON', of))
  const device = fromBase64Url(textMember(confirmation, 'authenticatorData', of))
  const stated = parseJson(utf8(client), `${of}: its client data`)
  if (member(stated, 'challenge') !== toBase64Url(sha256Now(encode(canonical(bound)))))
    throw new Broken(`${of}: the device signed something else.`)
  // Bit 0: a person was present; bit 2: the device knew who it was.
  if (member(stated, 'type') !== 'webauthn.get' || ((device[32] ?? 0) & 5) !== 5)
    throw new Broken(`${of}: the device did not verify the person.`)
  const signature = fromBase64Url(textMember(confirmation, 'signature', of))
  const key = fromBase64Url(textMember(confirmation, 'publicKey', of))
  if (!(await passkeySigned(key, signature, concat(device, sha256Now(client)))))
    throw new Broken(`${of}: the signature of the passkey does not hold.`)
}
