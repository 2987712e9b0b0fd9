import { createHash, createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { canonicalJson } from '#lib/jcs.ts'
import type { Presentation } from '#lib/schemas/approvals.ts'
import type { Assertion, ConfirmationPurpose } from '#lib/schemas/passkeys.ts'
import { updateSettings } from '#server/access/update-settings.ts'
import { decide } from '#server/approvals/decide.ts'
import { get as getApproval } from '#server/approvals/get.ts'
import { expiry } from '#server/approvals/jobs.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { approverGroup, askForRefund } from '#server/testing/approval-request.ts'
import { Authenticator } from '#server/testing/auth/authenticator.ts'
import { connectAsOwner } from '#server/testing/owner.ts'
import { testRuntime, testTenant } from '#server/testing/tenant.ts'
import { beginConfirmation } from './begin-confirmation.ts'
import { beginRegistration } from './begin-registration.ts'
import { finishRegistration } from './finish-registration.ts'
import { list } from './list.ts'
import { remove } from './remove.ts'

let running: Awaited<ReturnType<typeof testRuntime>>
let owner: Awaited<ReturnType<typeof connectAsOwner>>
beforeAll(async () => {
  running = await testRuntime()
  owner = await connectAsOwner(running)
  onDecided('tool_call', () => Promise.resolve())
  await running.queue.work([expiry])
})
afterAll(async () => {
  await owner.end()
  await running.close()
})

const perform = <I, O>(operation: Operation<I, O>, caller: Caller, input: unknown, idempotencyKey?: string) =>
  execute(operation, caller, input, { name: 'passkeys', idempotencyKey })
const refused = (code: string) => expect.objectContaining({ code })

const confirm = async (caller: Caller, device: Authenticator, purpose: ConfirmationPurpose): Promise<Assertion> =>
  device.get((await perform(beginConfirmation, caller, { purpose })).options)

async function register(caller: Caller, device: Authenticator, confirming?: Authenticator) {
  const { options } = await perform(beginRegistration, caller, undefined)
  const confirmation = confirming && (await confirm(caller, confirming, { act: 'register' }))
  const input = { name: 'Laptop', credential: device.create(options), confirmation }
  return (await perform(finishRegistration, caller, input)).passkey
}

/** A tenant that requires a passkey for high risk, two of its approvers, and a request for them. */
async function guarded() {
  const tenant = await testTenant(running)
  const maria = await tenant.as('maria', { roles: ['developer', 'tenant_admin'] })
  const machine = await tenant.as('ci', {
    roles: ['approver'],
    kind: 'service_account',
    groups: [approverGroup],
  })
  const approver = async (name: string) => {
    const caller = await tenant.as(name, { roles: ['approver'], groups: [approverGroup] })
    return { ...caller, tenant: { ...caller.tenant, settings: { passkeyForTiers: ['high'], machineDecisions: 'on' } } }
  }
  const [jonas, anna] = [await approver('jonas'), await approver('anna')]
  const ask = async (risk?: Presentation['risk']) =>
    (await askForRefund(tenant, maria, risk === undefined ? {} : { risk })).approvalId
  return { tenant, maria, jonas, anna, machine: { ...machine, tenant: jonas.tenant }, ask }
}

const vote = (caller: Caller, approvalId: string, passkey?: Assertion, decision = 'approve', key?: string) =>
  perform(
    decide,
    caller,
    {
      approvalId,
      decision,
      decisionAcknowledged: true,
      reason: 'Read.',
      ...(passkey === undefined ? {} : { passkey }),
    },
    key,
  )
const read = (caller: Caller, approvalId: string) => perform(getApproval, caller, { approvalId })
const purposeOf = async (caller: Caller, approvalId: string): Promise<ConfirmationPurpose> => ({
  act: 'approve',
  approvalId,
  payloadDigest: (await read(caller, approvalId)).payloadDigest,
})

describe('registering', () => {
  test('needs no confirmation for the first passkey, and the first one’s for the second; each person sees their own', async () => {
    const { jonas, anna } = await guarded()
    const [laptop, stick] = [new Authenticator(), new Authenticator()]
    const first = await register(jonas, laptop)
    expect(first).toMatchObject({ name: 'Laptop', synced: false, lastUsedAt: null })
    await expect(register(jonas, stick)).rejects.toEqual(refused('passkey_required'))
    await expect(register(jonas, stick, stick)).rejects.toEqual(refused('passkey_required'))
    const second = await register(jonas, stick, laptop)
    expect((await perform(list, jonas, {})).items.map(({ id }) => id)).toEqual([second.id, first.id])
    expect((await perform(list, anna, {})).items).toEqual([])
  })

  test('names the credential and its public key in the audit log', async () => {
    const { tenant, jonas } = await guarded()
    const laptop = new Authenticator()
    const { id } = await register(jonas, laptop)
    const { rows } = await owner.query(
      `select record -> 'details' as details from audit_records where tenant_id = $1 and type = 'passkey.registered'`,
      [tenant.id],
    )
    const { rows: stored } = await owner.query('select credential_id, public_key from passkeys where id = $1', [id])
    expect(rows).toHaveLength(1)
    expect(rows[0]?.details).toEqual({
      name: 'Laptop',
      synced: false,
      credentialId: stored[0]?.credential_id,
      publicKey: stored[0]?.public_key.toString('base64url'),
    })
  })

  test('accepts a device only once', async () => {
    const { jonas, anna } = await guarded()
    const laptop = new Authenticator()
    await register(jonas, laptop)
    await expect(register(jonas, laptop, laptop)).rejects.toEqual(refused('conflict'))
    await expect(register(anna, laptop)).rejects.toEqual(refused('conflict'))
  })

  test.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['no user verification', { flags: 0x01 }],
    ['an assertion', { type: 'webauthn.get' }],
  ])('refuses %s', async (_what, knobs) => {
    const { jonas } = await guarded()
    const { options } = await perform(beginRegistration, jonas, undefined)
    const input = { name: 'Laptop', credential: new Authenticator().create(options, knobs) }
    await expect(perform(finishRegistration, jonas, input)).rejects.toEqual(refused('bad_request'))
  })

  test('accepts a challenge once, only from the person that it was created for, and only for minutes', async () => {
    const { jonas, anna } = await guarded()
    const { options } = await perform(beginRegistration, jonas, undefined)
    const input = (device = new Authenticator()) => ({ name: 'Laptop', credential: device.create(options) })
    await expect(perform(finishRegistration, anna, input())).rejects.toEqual(refused('conflict'))
    const late = await perform(beginRegistration, anna, undefined)
    await owner.query(`update passkey_challenges set expires_at = now() where member_id = $1`, [
      anna.principal.memberId,
    ])
    const credential = new Authenticator().create(late.options)
    await expect(perform(finishRegistration, anna, { name: 'Late', credential })).rejects.toEqual(refused('conflict'))
    const laptop = new Authenticator()
    await perform(finishRegistration, jonas, input(laptop))
    const confirmation = await confirm(jonas, laptop, { act: 'register' })
    await expect(perform(finishRegistration, jonas, { ...input(), confirmation })).rejects.toEqual(refused('conflict'))
  })

  test('is refused for a machine', async () => {
    const { machine } = await guarded()
    await expect(perform(beginRegistration, machine, undefined)).rejects.toEqual(refused('forbidden'))
    await expect(perform(beginConfirmation, machine, { purpose: { act: 'register' } })).rejects.toEqual(
      refused('forbidden'),
    )
  })
})

describe('approving', () => {
  test('requires a passkey where the risk does, and the vote keeps the signed data for anyone to verify', async () => {
    const { jonas, ask } = await guarded()
    const approvalId = await ask()
    expect((await read(jonas, approvalId)).passkey).toBe('missing')
    await expect(vote(jonas, approvalId)).rejects.toEqual(refused('passkey_required'))
    const laptop = new Authenticator()
    await register(jonas, laptop)
    const { passkey: state, payloadDigest } = await read(jonas, approvalId)
    expect(state).toBe('needed')
    await expect(vote(jonas, approvalId)).rejects.toEqual(refused('passkey_required'))
    const purpose = await purposeOf(jonas, approvalId)
    const done = await vote(jonas, approvalId, await confirm(jonas, laptop, purpose))
    expect(done).toMatchObject({ status: 'approved' })

    const confirmation = (await read(jonas, approvalId)).votes[0]?.confirmation
    if (confirmation === undefined) throw new Error('The vote does not have a confirmation.')
    expect(confirmation.bound).toMatchObject({ act: 'approve', approvalId, payloadDigest })
    const digest = (text: string | Buffer) => createHash('sha256').update(text).digest()
    const bytes = (text: string) => Buffer.from(text, 'base64url')
    const { challenge } = JSON.parse(bytes(confirmation.clientDataJSON).toString())
    expect(challenge).toBe(digest(canonicalJson(confirmation.bound)).toString('base64url'))
    const signed = Buffer.concat([bytes(confirmation.authenticatorData), digest(bytes(confirmation.clientDataJSON))])
    const cose = bytes(confirmation.publicKey)
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'P-256',
        x: cose.subarray(10, 42).toString('base64url'),
        y: cose.subarray(45, 77).toString('base64url'),
      },
    })
    expect(verify('sha256', signed, key, bytes(confirmation.signature))).toBe(true)
    const { rows } = await owner.query(`select record -> 'details' as details from audit_records where audit_id = $1`, [
      done.auditId,
    ])
    expect(rows[0]?.details).toMatchObject({ passkey: confirmation.passkeyId, confirmation: done.confirmation?.digest })
    expect(done.confirmation?.digest).toBe(`sha256:${digest(canonicalJson(confirmation)).toString('hex')}`)
  })

  test('requires none to reject, to escalate, or for another risk', async () => {
    const { jonas, ask } = await guarded()
    expect(await vote(jonas, await ask(), undefined, 'reject')).toMatchObject({ status: 'rejected' })
    const low = await ask('low')
    expect((await read(jonas, low)).passkey).toBe('not_needed')
    expect(await vote(jonas, low)).toMatchObject({ status: 'approved' })
  })

  test('is refused for a machine, even where machine decisions are allowed', async () => {
    const { machine, ask } = await guarded()
    await expect(vote(machine, await ask())).rejects.toEqual(refused('passkey_required'))
  })

  test('accepts a confirmation once, for one request and one person, and records a refusal', async () => {
    const { jonas, anna, ask } = await guarded()
    const [laptop, phone] = [new Authenticator(), new Authenticator()]
    await register(jonas, laptop)
    await register(anna, phone)
    const [one, other] = [await ask(), await ask()]
    const forOther = await confirm(jonas, laptop, await purposeOf(jonas, other))
    await expect(vote(jonas, one, forOther)).rejects.toEqual(refused('passkey_required'))
    const ofAnna = await confirm(anna, phone, await purposeOf(anna, one))
    await expect(vote(jonas, one, ofAnna)).rejects.toEqual(refused('passkey_required'))
    const otherBytes: ConfirmationPurpose = {
      act: 'approve',
      approvalId: one,
      payloadDigest: `sha256:${'0'.repeat(64)}`,
    }
    await expect(vote(jonas, one, await confirm(jonas, laptop, otherBytes))).rejects.toEqual(
      refused('passkey_required'),
    )
    const good = await confirm(jonas, laptop, await purposeOf(jonas, one))
    await vote(jonas, one, good)
    await expect(vote(jonas, other, good)).rejects.toEqual(refused('passkey_required'))
    const { rows } = await owner.query(
      `select count(*)::int as refusals from audit_records where tenant_id = $1 and record ->> 'action' = 'approval.approve.refused'`,
      [jonas.tenant.id],
    )
    expect(rows[0]?.refusals).toBe(4)
  })

  test.each([
    ['a forged signature', { forged: true }],
    ['another site', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['no user verification', { flags: 0x01 }],
    ['a count that decreases, as for a copied device', { count: 0 }],
  ])('refuses %s', async (_what, knobs) => {
    const { jonas, ask } = await guarded()
    const laptop = new Authenticator()
    await register(jonas, laptop)
    const first = await ask()
    await vote(jonas, first, await confirm(jonas, laptop, await purposeOf(jonas, first)))
    const approvalId = await ask()
    const { options } = await perform(beginConfirmation, jonas, { purpose: await purposeOf(jonas, approvalId) })
    await expect(vote(jonas, approvalId, laptop.get(options, knobs))).rejects.toEqual(refused('passkey_required'))
    expect(await read(jonas, approvalId)).toMatchObject({ status: 'pending' })
  })

  test('returns the same response when the same decision is sent again, although its confirmation is used up', async () => {
    const { jonas, ask } = await guarded()
    const laptop = new Authenticator()
    await register(jonas, laptop)
    const approvalId = await ask()
    const passkey = await confirm(jonas, laptop, await purposeOf(jonas, approvalId))
    const key = newId()
    const first = await vote(jonas, approvalId, passkey, 'approve', key)
    expect(await vote(jonas, approvalId, passkey, 'approve', key)).toEqual(first)
  })
})

test('removing requires a passkey, so that a stolen session is not enough', async () => {
  const { jonas } = await guarded()
  const [laptop, stick] = [new Authenticator(), new Authenticator()]
  const { id: passkeyId } = await register(jonas, laptop)
  await register(jonas, stick, laptop)
  const forRegister = await confirm(jonas, stick, { act: 'register' })
  await expect(perform(remove, jonas, { id: passkeyId, confirmation: forRegister })).rejects.toEqual(
    refused('passkey_required'),
  )
  const confirmation = await confirm(jonas, stick, { act: 'remove', passkeyId })
  await perform(remove, jonas, { id: passkeyId, confirmation })
  expect((await perform(list, jonas, {})).items).toHaveLength(1)
  const again = await confirm(jonas, laptop, { act: 'register' })
  await expect(
    perform(finishRegistration, jonas, {
      name: 'X',
      credential: new Authenticator().create((await perform(beginRegistration, jonas, undefined)).options),
      confirmation: again,
    }),
  ).rejects.toEqual(refused('passkey_required'))
})

test('requiring more passkeys applies immediately, requiring fewer waits for an approval', async () => {
  const { tenant, maria } = await guarded()
  await tenant.as('vera', { roles: ['approver'], groups: ['change-approvers'] })
  const set = (passkeyForTiers: string[], expectedRevision: number) =>
    perform(updateSettings, maria, { passkeyForTiers, expectedRevision })
  const more = await set(['critical', 'high'], 1)
  expect(more).toMatchObject({ settings: { passkeyForTiers: ['critical', 'high'] }, change: null })
  await expect(set(['high', 'critical', 'high'], more.revision)).rejects.toEqual(refused('conflict'))
  const less = await set(['critical'], more.revision)
  expect(less.settings.passkeyForTiers).toEqual(['critical', 'high'])
  expect(less.change).not.toBeNull()
})
