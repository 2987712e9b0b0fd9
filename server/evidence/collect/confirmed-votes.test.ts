import { createHash, createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { JsonValue } from '#lib/json.ts'
import { verifyArchive } from '#lib/verify/verify.ts'
import { decide } from '#server/approvals/decide.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { beginConfirmation } from '#server/passkeys/begin-confirmation.ts'
import { beginRegistration } from '#server/passkeys/begin-registration.ts'
import { finishRegistration } from '#server/passkeys/finish-registration.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { Authenticator } from '#server/testing/auth/authenticator.ts'
import { aroundNow, exportRuntime, fetchArchive, parseLines } from '#server/testing/exports.ts'

// A decision that a person confirmed with a passkey, recomputed from an archive alone: from what was decided to the signature
// of a key that the audit log names.

let runtime: Awaited<ReturnType<typeof exportRuntime>>
beforeAll(async () => {
  runtime = await exportRuntime()
  onDecided('tool_call', () => Promise.resolve())
  await runtime.queue.work([expiry])
})
afterAll(() => runtime.close())

const perform = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown) =>
  execute(operation, caller, input, { name: 'passkeys' })
const digest = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest()
const bytes = (text: string) => Buffer.from(text, 'base64url')

/** A tenant in which jonas has approved a request with a passkey. */
async function confirmed() {
  const tenant = await runtime.tenant()
  const maria = await tenant.as('maria', { roles: ['developer', 'tenant_admin'] })
  const member = await tenant.as('jonas', { roles: ['approver'], groups: [approverGroup] })
  const jonas = { ...member, tenant: { ...member.tenant, settings: { passkeyForTiers: ['high'] } } }
  const { approvalId, payloadDigest } = await askForRefund(tenant, maria, {})
  const device = new Authenticator()
  const { options } = await perform(beginRegistration, jonas, undefined)
  await perform(finishRegistration, jonas, { name: 'Laptop', credential: device.create(options) })
  const purpose = { act: 'approve', approvalId, payloadDigest }
  const passkey = device.get((await perform(beginConfirmation, jonas, { purpose })).options)
  const vote = { approvalId, decision: 'approve', decisionAcknowledged: true, reason: 'Read.', passkey }
  await perform(decide, jonas, vote)
  return { tenant, pia: await tenant.as('pia', { roles: ['auditor', 'privacy_officer'] }) }
}

test('an archive with raw payloads proves who confirmed what; one without says what is missing', async () => {
  const { tenant, pia } = await confirmed()
  const justification = 'The supervisory authority asks for the decisions of case 4711.'
  const raw = await runtime.make(tenant, pia, { ...aroundNow(), includeRawPayloads: true, justification })
  const { text } = await runtime.extract('confirmed', await fetchArchive(pia, raw.exportId))
  const [approval] = parseLines(await text('data/approvals.ndjson'))
  const [{ confirmation, ...vote }] = parseLines(await text('data/approval-votes.ndjson'))
  const records = parseLines(await text(`data/audit/${raw.createdAt.slice(0, 10)}.ndjson`))

  // The verifier in the archive recomputes it, too.
  const { checks } = await verifyArchive(new Blob([new Uint8Array(await fetchArchive(pia, raw.exportId))]))
  expect(checks.find(({ name }) => name === 'Requests')).toMatchObject({ state: 'holds' })

  // What was decided, and its digest.
  const payload: JsonValue = approval.values.payload.value
  expect(payload).toMatchObject({ salt: expect.any(String), form: 2 })
  const hashed = (value: JsonValue) => `sha256:${digest(canonicalJson(value)).toString('hex')}`
  const bound = { content: hashed(payload), shown: approval.values.presentation.value }
  expect(hashed(bound)).toBe(confirmation.bound.payloadDigest)
  expect(confirmation.bound).toMatchObject({ approvalId: vote.approvalId, payloadDigest: approval.payloadDigest })
  // What the device signed.
  const { challenge } = JSON.parse(bytes(confirmation.clientDataJSON).toString())
  expect(challenge).toBe(digest(canonicalJson(confirmation.bound)).toString('base64url'))
  // The key, from the log.
  const { record } = records.find((one) => one.record.action === 'passkey.registered')
  expect(record.resource.id).toBe(confirmation.passkeyId)
  const cose = bytes(record.details.publicKey)
  const [x, y] = [cose.subarray(10, 42), cose.subarray(45, 77)].map((part) => part.toString('base64url'))
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } })
  const signed = Buffer.concat([bytes(confirmation.authenticatorData), digest(bytes(confirmation.clientDataJSON))])
  expect(verify('sha256', signed, key, bytes(confirmation.signature))).toBe(true)
  expect(confirmation.publicKey).toBe(record.details.publicKey)

  const masked = await runtime.make(tenant, pia)
  expect(masked.omissions).toContainEqual({ resource: 'approvals', reason: 'masked' })
  const { text: other } = await runtime.extract('confirmed masked', await fetchArchive(pia, masked.exportId))
  const [left] = parseLines(await other('data/approvals.ndjson'))
  expect(left).toMatchObject({ payload: approval.payload, payloadDigest: approval.payloadDigest })
  expect(left).not.toHaveProperty('values')
  expect(JSON.parse(await other('data/export.json')).contents.confirmations).toContain('can’t be recomputed')
})
