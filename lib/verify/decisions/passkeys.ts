import { sha256Now } from '../../sha256.ts'
import type { Archive } from '../archive.ts'
import {
  Broken,
  type Bytes,
  canonical,
  concat,
  hex,
  type Json,
  member,
  parseJson,
  parseLine,
  sameBytes,
  sha256OfText,
  textMember,
  toBase64Url,
  utf8,
} from '../bytes.ts'
import { counted } from '../counted.ts'
import type { SeenRecord } from '../log.ts'
import { objectTable, type Room } from '../objects.ts'
import { recordsIn, stateIn } from '../obligations.ts'
import { NotChecked } from '../report.ts'
import { fromBase64Url } from '../rows.ts'
import { passkeySigned } from './cose.ts'

// Decisions that a person confirmed with a passkey: what the device signed is recomputed from the vote and the approval.

/** Collects the confirmed decisions from the records, and then checks their signatures. */
export function passkeyVotes(room: Room) {
  /** Votes by the record's id, with the digest of the confirmation; and keys that the log names, by the passkey's id. */
  const table = objectTable(room)
  const [vote, passkey, approval] = ['approval_vote', 'passkey', 'approval']
  const put = (type: string, id: string, digest: Bytes, owed = false) =>
    table.set(type, id, { revision: 1, form: 1, digest, owed, seen: false })
  let any = false
  return {
    any: () => any,
    add({ record, auditId }: SeenRecord) {
      const [action, details] = [member(record, 'action'), member(record, 'details')]
      const digest = member(details, 'confirmation')
      if ((action === 'approval.approve' || action === 'approval.reject') && typeof digest === 'string') {
        put(vote, auditId, digestOfJson(digest), true)
        any = true
      }
      const publicKey = member(details, 'publicKey')
      if (action === 'passkey.registered' && publicKey !== undefined)
        put(passkey, String(member(member(record, 'resource'), 'id')), digestOfJson(publicKey))
    },
    async check(archive: Archive): Promise<string> {
      for await (const line of archive.linesIn('data/approvals.ndjson')) {
        const state = stateIn(parseLine(line, 'A line of data/approvals.ndjson'))
        put(approval, String(member(state, 'id')), digestOfJson(member(state, 'payloadDigest') ?? null))
      }
      let [checked, unnamed] = [0, 0]
      for await (const line of archive.linesIn('data/approval-votes.ndjson')) {
        const row = stateIn(parseLine(line, 'A line of data/approval-votes.ndjson'))
        const auditId = String(member(row, 'auditId'))
        const confirmed = table.get(vote, auditId)
        if (confirmed === undefined || confirmed.seen) continue
        await checkVote(row, confirmed.digest, (id) => table.get(approval, id)?.digest)
        const confirmation = member(row, 'confirmation')
        const known = table.get(passkey, String(member(confirmation, 'passkeyId')))?.digest
        if (known === undefined) unnamed += 1
        else if (!sameBytes(known, digestOfJson(member(confirmation, 'publicKey') ?? null)))
          throw new Broken(`The vote ${auditId} was confirmed with another key than the one that was registered.`)
        table.set(vote, auditId, { ...confirmed, seen: true })
        checked += 1
      }
      if (table.missing() > 0)
        for await (const { auditId } of recordsIn(archive))
          if (table.get(vote, auditId)?.seen === false)
            throw new Broken(`The log has a decision confirmed with a passkey (${auditId}) whose vote is missing.`)
      table.release()
      if (unnamed > 0)
        throw new NotChecked(
          `The signatures of ${counted(checked, 'decision', 'decisions')} hold; the log in this archive does not name the keys of ${unnamed}.`,
        )
      return `${counted(checked, 'decision was signed by a passkey whose key', 'decisions were signed by passkeys whose keys')} the log names.`
    },
  }
}

const digestOfJson = (value: Json): Bytes => sha256OfText(canonical(value))

/** The device signed this decision, and the log has the digest of the whole confirmation. */
async function checkVote(
  vote: Json,
  digest: Bytes | undefined,
  payloadOf: (approvalId: string) => Bytes | undefined,
): Promise<void> {
  const of = `The vote ${String(member(vote, 'id'))}`
  const confirmation = member(vote, 'confirmation') ?? null
  const [bound, approvalId] = [member(confirmation, 'bound') ?? null, textMember(vote, 'approvalId', of)]
  const own = digestOfJson(`sha256:${hex(digestOfJson(confirmation))}`)
  if (digest === undefined || !sameBytes(own, digest)) throw new Broken(`${of} has another confirmation than the log.`)
  const payload = payloadOf(approvalId)
  if (
    member(bound, 'approvalId') !== approvalId ||
    payload === undefined ||
    !sameBytes(payload, digestOfJson(member(bound, 'payloadDigest') ?? null))
  )
    throw new Broken(`${of} was confirmed for another request than the one in the archive.`)
  const client = fromBase64Url(textMember(confirmation, 'clientDataJSON', of))
  const device = fromBase64Url(textMember(confirmation, 'authenticatorData', of))
  const stated = parseJson(utf8(client), `${of}: its client data`)
  if (member(stated, 'challenge') !== toBase64Url(digestOfJson(bound)))
    throw new Broken(`${of}: the device signed something else.`)
  // Bit 0: a person was present; bit 2: the device knew who it was.
  if (member(stated, 'type') !== 'webauthn.get' || ((device[32] ?? 0) & 5) !== 5)
    throw new Broken(`${of}: the device did not verify the person.`)
  const signature = fromBase64Url(textMember(confirmation, 'signature', of))
  const key = fromBase64Url(textMember(confirmation, 'publicKey', of))
  if (!(await passkeySigned(key, signature, concat(device, sha256Now(client)))))
    throw new Broken(`${of}: the signature of the passkey does not hold.`)
}
