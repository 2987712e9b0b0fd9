// Longer than other files: one machine, whose states and conditions all its cases share.
import { describe, expect, test } from 'vitest'
import { failureOf } from '#lib/failure.ts'
import type { Approval } from '#lib/schemas/approvals.ts'
import type { Assertion } from '#lib/schemas/passkeys.ts'
import { type Event, initial, type Machine, nextAttempt, reduce } from './decision-state.ts'
import { type Conditions, isEditable, viewOf, whyNotChoose, whyNotSubmit } from './decision-view.ts'

const JONAS = '0198c000-0000-7000-8000-000000000001'
const ANNA = '0198c000-0000-7000-8000-000000000002'
const NOW = Date.parse('2026-11-20T13:38:00Z')

const person = (id: string, displayName: string) => ({
  id,
  displayName,
  username: displayName.toLowerCase(),
  kind: 'person' as const,
})

const approval = (changes: Partial<Approval> = {}): Approval => ({
  approvalId: '0198c000-0000-7000-8000-00000000000a',
  kind: 'tool_call',
  status: 'pending',
  title: 'Issue refund of €4,200.00 for A-1001',
  risk: 'high',
  agentId: '0198c000-0000-7000-8000-00000000000b',
  agentName: 'Refund assistant',
  environment: 'production',
  amount: null,
  facts: [],
  requestedBy: person('0198c000-0000-7000-8000-000000000003', 'Maria'),
  requestedAt: '2026-11-20T13:20:00.000Z',
  expiresAt: '2026-11-20T14:20:00.000Z',
  clockStopped: false,
  group: 'Refund approvers',
  eligible: true,
  reading: null,
  passkey: 'not_needed',
  erased: [],
  stages: [],
  delegates: [],
  changes: null,
  supersedes: null,
  clock: { stopped: null, escalatesAt: null, remindsAt: null },
  ineligibleReason: null,
  ineligibleCode: null,
  agentVersion: '1.0.0',
  action: 'tool.call',
  resource: 'payments/issue_refund',
  reason: null,
  revision: 1,
  presentation: {
    title: 'Issue refund of €4,200.00 for A-1001',
    effectLabel: 'refund of €4,200.00',
    verb: 'Issue',
    effects: ['payments.issue_refund is called once.'],
    onReject: 'The execution stops.',
    onExpiry: 'The request expires.',
    onEscalate: 'The escalation group decides.',
    reversible: false,
    irreversibleNote: 'This cannot be undone from the console.',
    risk: 'high',
    action: 'ToolCall',
    resource: 'payments/issue_refund',
    environment: 'production',
    arguments: [{ path: 'amount', value: '4200.00' }],
    agent: {
      id: '0198c000-0000-7000-8000-00000000000b',
      name: 'refund-assistant',
      displayName: 'Refund assistant',
      version: '1.4.0',
    },
    policy: null,
    executionId: null,
    traceId: null,
    position: null,
    subject: null,
  },
  subjectId: '0198c000-0000-7000-8000-00000000000e',
  payloadDigest: `sha256:${'9c'.repeat(32)}`,
  quorum: 1,
  approvalsSoFar: 0,
  escalationLevel: 0,
  groupMembers: [person(JONAS, 'Jonas'), person(ANNA, 'Anna')],
  votes: [],
  blocked: null,
  mayReject: true,
  decidedBy: null,
  decidedAt: null,
  usedAt: null,
  repeats: null,
  contentDigest: null,
  questions: [],
  mayAnswer: false,
  auditId: null,
  seal: 'none',
  ...changes,
})

const vote = (id: string, name: string, decision: 'approve' | 'reject', reason: string): Approval['votes'][number] => ({
  by: person(id, name),
  decision,
  reason,
  at: '2026-11-20T13:39:00.000Z',
  escalationLevel: 0,
  stage: 0,
  auditId: '0198c000-0000-7000-8000-0000000000aa',
})

const conditions = (changes: Partial<Conditions> = {}): Conditions => ({
  now: NOW,
  online: true,
  sessionEnded: false,
  unopened: 0,
  shownDigest: 'same',
  ...changes,
})
/** What happens, or what the page makes of its state. */
type Step = Event | ((machine: Machine) => Event)
const run = (steps: Step[], from: Machine = initial(JONAS)): Machine =>
  steps.reduce((machine, step) => reduce(machine, typeof step === 'function' ? step(machine) : step), from)
const view = (machine: Machine, changes: Partial<Conditions> = {}) => viewOf(machine, conditions(changes))
const load = (changes: Partial<Approval> = {}): Event => ({ type: 'loaded', approval: approval(changes) })
const fill: Event = { type: 'edited', draft: { decision: 'approve', reason: 'Claim checked.' } }
const acknowledge: Event = { type: 'edited', draft: { acknowledged: true } }
const submitAs =
  (newKey: string) =>
  (machine: Machine): Event => {
    const attempt = nextAttempt(machine, newKey)
    if (attempt === undefined) throw new Error('This form can’t be sent.')
    return { type: 'submitted', attempt }
  }
const submit = submitAs('key-1')
const lost: Event = { type: 'failed', failure: failureOf('network', 'The server can’t be reached.'), now: NOW }
const sent = [load(), fill, acknowledge, submit]

test('loading: no decision can be sent before the request has loaded', () => {
  expect(view(initial(JONAS))).toEqual({ is: 'loading' })
  expect(whyNotSubmit(initial(JONAS), conditions())).toMatch(/still being loaded/)
})

test('open: no decision is preselected', () => {
  const machine = run([load()])
  expect(view(machine)).toMatchObject({ is: 'open' })
  expect(machine.draft).toEqual({ decision: undefined, reason: '', acknowledged: false })
  expect(whyNotSubmit(machine, conditions())).toBe('Choose Approve, Reject or Escalate.')
})

describe('drafting', () => {
  test('names each missing part in turn', () => {
    const chosen = run([load(), { type: 'edited', draft: { decision: 'approve' } }])
    expect(view(chosen).is).toBe('drafting')
    expect(whyNotSubmit(chosen, conditions())).toBe('Enter a reason.')
    expect(whyNotSubmit(run([{ type: 'edited', draft: { reason: '  \n ' } }], chosen), conditions())).toBe(
      'Enter a reason.',
    )
    expect(whyNotSubmit(run([{ type: 'edited', draft: { reason: 'x'.repeat(2001) } }], chosen), conditions())).toBe(
      'A reason can have at most 2,000 characters.',
    )
    const reasoned = run([fill], chosen)
    expect(whyNotSubmit(reasoned, conditions())).toMatch(/Confirm/)
    expect(whyNotSubmit(run([acknowledge], reasoned), conditions())).toBeUndefined()
  })

  test('an acknowledgement lapses when the same is approved elsewhere, because it says so', () => {
    const repeats = (approvalId: string): Approval['repeats'] => ({
      approved: { approvalId, decidedAt: '2026-11-20T13:39:00.000Z' },
      pending: 0,
    })
    const machine = run([load(), fill, acknowledge, load({ repeats: repeats(ANNA) })])
    expect(machine.draft).toMatchObject({ decision: 'approve', reason: 'Claim checked.', acknowledged: false })
    expect(whyNotSubmit(machine, conditions())).toMatch(/Confirm/)
    const again = run([acknowledge, load({ repeats: repeats(ANNA), seal: 'pending' })], machine)
    expect(again.draft.acknowledged).toBe(true)
    const recovered = run([...sent, lost, load({ repeats: repeats(ANNA) })])
    expect(recovered).toMatchObject({ phase: { is: 'editing', notRecorded: true }, draft: { acknowledged: false } })
  })

  test('shortened values must be shown in full before approving, but not before rejecting', () => {
    const machine = run([load(), fill, acknowledge])
    expect(whyNotSubmit(machine, conditions({ unopened: 2 }))).toBe('Show the 2 shortened values in full first.')
    const rejecting = run([{ type: 'edited', draft: { decision: 'reject', acknowledged: true } }], machine)
    expect(whyNotSubmit(rejecting, conditions({ unopened: 2 }))).toBeUndefined()
  })

  test('nothing can be sent unless the digest of what is shown is the one that a decision binds', () => {
    for (const decision of ['approve', 'reject', 'escalate'] as const) {
      const machine = run([load(), { type: 'edited', draft: { decision, reason: 'Read.', acknowledged: true } }])
      expect(whyNotSubmit(machine, conditions({ shownDigest: 'different' }))).toMatch(/does not show what would run/)
      expect(whyNotSubmit(machine, conditions({ shownDigest: 'checking' }))).toMatch(/is being checked/)
      expect(whyNotSubmit(machine, conditions({ shownDigest: 'same' }))).toBeUndefined()
      // A request of an earlier version: its digest does not cover the page.
      expect(whyNotSubmit(machine, conditions({ shownDigest: 'unknown' }))).toBeUndefined()
    }
  })

  test('another choice clears the acknowledgement', () => {
    const machine = run([load(), fill, acknowledge, { type: 'edited', draft: { decision: 'reject' } }])
    expect(machine.draft.acknowledged).toBe(false)
    expect(machine.draft.reason).toBe('Claim checked.')
  })

  test('a stored draft is restored without its acknowledgement, and never overwrites typed text', () => {
    const restored: Event = { type: 'restored', draft: { decision: 'reject', reason: 'Earlier.' } }
    expect(run([load(), restored]).draft).toEqual({ decision: 'reject', reason: 'Earlier.', acknowledged: false })
    expect(run([load(), fill, restored]).draft.reason).toBe('Claim checked.')
  })
})

describe('submitting', () => {
  test('locks the form, and binds the revision and digest of the request shown', () => {
    const machine = run(sent)
    expect(view(machine).is).toBe('submitting')
    expect(isEditable(view(machine))).toBe(false)
    expect(machine.attempt).toEqual({
      idempotencyKey: 'key-1',
      approvalId: approval().approvalId,
      decision: 'approve',
      reason: 'Claim checked.',
      expectedRevision: 1,
      payloadDigest: approval().payloadDigest,
      confirms: false,
    })
    expect(run([{ type: 'edited', draft: { reason: 'other' } }], machine)).toBe(machine)
    expect(view(machine, { online: false, sessionEnded: true }).is).toBe('submitting')
  })

  test('continues when an earlier read returns', () => {
    expect(view(run([...sent, load()])).is).toBe('submitting')
  })
})

describe('with a passkey', () => {
  const assertion: Assertion = {
    id: 'AAAA',
    rawId: 'AAAA',
    type: 'public-key',
    response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
    clientExtensionResults: {},
  }
  const confirmed: Event = { type: 'confirmed', passkey: assertion }
  const begun = [load({ passkey: 'needed' }), fill, acknowledge, submit]
  const without = (code: 'no_passkey' | 'not_loaded' | 'passkey_required'): Event => ({
    type: 'failed',
    failure: failureOf(code, 'No passkey.'),
    now: NOW,
  })

  test('the device signs first, and after a lost answer the same signature is sent again under the same key', () => {
    expect(run(begun).attempt).toMatchObject({ confirms: true, idempotencyKey: 'key-1' })
    expect(run(begun).attempt).not.toHaveProperty('passkey')
    const machine = run([...begun, confirmed])
    expect(machine.attempt?.passkey).toBe(assertion)
    const again = run([lost, load({ passkey: 'needed' }), acknowledge, submitAs('key-2')], machine)
    expect(again.attempt).toEqual(machine.attempt)
  })

  test.each(['no_passkey', 'not_loaded', 'passkey_required'] as const)(
    'after %s the device signs again, under a new key',
    (code) => {
      const machine = run([...begun, confirmed, without(code)])
      expect(view(machine)).toMatchObject({ is: 'drafting', problem: { code } })
      expect(run([submitAs('key-2')], machine).attempt).toMatchObject({ idempotencyKey: 'key-2' })
      expect(run([submitAs('key-2')], machine).attempt).not.toHaveProperty('passkey')
    },
  )

  test('a reviewer without a passkey can reject', () => {
    const machine = run([load({ passkey: 'missing' }), fill, acknowledge])
    expect(whyNotSubmit(machine, conditions())).toBe(
      'Approving this request requires a passkey. Add one in your settings.',
    )
    const rejecting = run([{ type: 'edited', draft: { decision: 'reject', acknowledged: true } }], machine)
    expect(whyNotSubmit(rejecting, conditions())).toBeUndefined()
    expect(run([submit], rejecting).attempt).toMatchObject({ confirms: false })
  })
})

test('recorded: only after the server has confirmed', () => {
  const machine = run([
    ...sent,
    {
      type: 'answered',
      auditId: 'audit-1',
      at: '2026-11-20T13:39:00.000Z',
      status: 'approved',
    },
  ])
  expect(view(machine)).toEqual({
    is: 'recorded',
    record: {
      decision: 'approve',
      reason: 'Claim checked.',
      auditId: 'audit-1',
      at: '2026-11-20T13:39:00.000Z',
      waits: false,
    },
  })
  expect(machine.draft.reason).toBe('')
  const sealed = run([load({ status: 'approved', revision: 2, seal: 'sealed' })], machine)
  expect(view(sealed).is).toBe('recorded')
  expect(sealed.shown?.seal).toBe('sealed')
})

describe('blocked', () => {
  test.each([
    ['separation_of_duties', 'self'],
    ['forbidden', 'permission'],
    ['not_eligible', 'not-eligible'],
    ['already_voted', 'already-voted'],
    ['machine_decision', 'machine'],
  ] as const)('%s is blocked:%s and says why', (code, why) => {
    const machine = run([load({ blocked: { code, message: 'Because.' }, mayReject: false })])
    expect(view(machine)).toEqual({ is: 'blocked', why, message: 'Because.' })
    expect(isEditable(view(machine))).toBe(false)
    expect(whyNotSubmit(machine, conditions())).toBe('Because.')
  })

  test.each(['separation_of_duties', 'forbidden', 'not_eligible', 'machine_decision'] as const)(
    'a refusal with %s blocks the form and keeps the draft',
    (code) => {
      const machine = run([...sent, { type: 'failed', failure: failureOf(code, 'No.', 403), now: NOW }])
      expect(view(machine)).toMatchObject({ is: 'blocked', message: 'No.' })
      expect(machine.draft.reason).toBe('Claim checked.')
    },
  )
})

describe('a person who caused the request', () => {
  const own = load({ blocked: { code: 'separation_of_duties', message: 'You asked for this.' } })

  test('can reject it, and sees why nothing else is possible', () => {
    const machine = run([own])
    expect(view(machine)).toMatchObject({ is: 'open', onlyReject: 'You asked for this.' })
    expect(isEditable(view(machine))).toBe(true)
    expect([whyNotChoose(machine, 'approve'), whyNotChoose(machine, 'escalate')]).toEqual([
      'You asked for this.',
      'You asked for this.',
    ])
    expect(whyNotChoose(machine, 'reject')).toBeUndefined()
    expect(whyNotSubmit(machine, conditions())).toBe('Choose Reject.')
  })

  test('can send a rejection and nothing else, even from a draft of an approval', () => {
    const draft = { decision: 'approve', reason: 'Typed twice.', acknowledged: true } as const
    expect(whyNotSubmit(run([own, { type: 'edited', draft }]), conditions())).toBe('You asked for this.')
    const reject: Event = { type: 'edited', draft: { ...draft, decision: 'reject' } }
    expect(whyNotSubmit(run([own, reject]), conditions())).toBeUndefined()
    expect(run([own, reject, submit]).attempt).toMatchObject({ decision: 'reject', confirms: false })
  })
})

describe('expired', () => {
  test('at the exact time of expiry while the page is open, keeping the draft', () => {
    const machine = run([load(), fill, acknowledge])
    const end = Date.parse(approval().expiresAt)
    expect(view(machine, { now: end - 1 }).is).toBe('drafting')
    expect(view(machine, { now: end }).is).toBe('expired')
    expect(whyNotSubmit(machine, conditions({ now: end }))).toMatch(/expired/)
    expect(machine.draft.reason).toBe('Claim checked.')
  })

  test('when the server reports it', () => {
    expect(view(run([load({ status: 'expired' })])).is).toBe('expired')
  })

  test.each([
    ['the server has recorded it', 'expired' as const, undefined],
    ['its time is over', 'pending' as const, Date.parse(approval().expiresAt)],
  ])('a request that changed under a draft leaves nothing to review once %s', (_how, status, now) => {
    const changed = run([load(), fill, load({ revision: 2 })])
    expect(view(changed).is).toBe('conflict')
    const machine = reduce(changed, load({ status, revision: 3 }))
    const at = now === undefined ? {} : { now }
    expect(view(machine, at).is).toBe('expired')
    expect(whyNotSubmit(machine, conditions(at))).toMatch(/expired/)
    expect(machine.draft.reason).not.toBe('')
  })

  test('stays expired when the server has recorded it, and the draft stays', () => {
    const machine = run([load(), fill, load({ status: 'expired', revision: 2 })])
    expect(view(machine).is).toBe('expired')
    expect(machine.draft).toMatchObject({ decision: 'approve', reason: 'Claim checked.' })
  })
})

test('decided: opened after another reviewer had decided', () => {
  const machine = run([
    load({ status: 'rejected', blocked: { code: 'already_decided', message: 'This request is already rejected.' } }),
  ])
  expect(view(machine).is).toBe('decided')
  expect(whyNotSubmit(machine, conditions())).toBe('This request has been decided.')
})

test('decided: a canceled request was not', () => {
  const machine = run([
    load({ status: 'canceled', blocked: { code: 'already_decided', message: 'This request is already canceled.' } }),
  ])
  expect(whyNotSubmit(machine, conditions())).toBe('This request ended without a decision.')
})

describe('conflict', () => {
  const decided = { status: 'rejected', revision: 2, votes: [vote(ANNA, 'Anna', 'reject', 'Not covered.')] } as const
  const other = load({ ...decided, votes: [...decided.votes] })

  test('a 409 waits for the other decision, and keeps the draft', () => {
    const refused = run([
      ...sent,
      { type: 'failed', failure: failureOf('revision_conflict', 'Changed.', 409), now: NOW },
    ])
    expect(view(refused)).toEqual({ is: 'conflict', latest: undefined, stillOpen: false })
    const known = run([other], refused)
    expect(view(known)).toMatchObject({
      is: 'conflict',
      stillOpen: false,
      latest: { votes: [{ reason: 'Not covered.' }] },
    })
    expect(known.draft.reason).toBe('Claim checked.')
    expect(whyNotSubmit(known, conditions())).toMatch(/Review the changes/)
  })

  test('already_decided is a conflict after another reviewer’s decision, and the record after one’s own', () => {
    const refused = run([...sent, { type: 'failed', failure: failureOf('already_decided', 'Decided.', 409), now: NOW }])
    expect(view(run([other], refused)).is).toBe('conflict')
    const own = load({ status: 'approved', revision: 2, votes: [vote(JONAS, 'Jonas', 'approve', 'Claim checked.')] })
    expect(view(run([own], refused)).is).toBe('recorded')
  })

  test('is shown while drafting, as soon as it is known', () => {
    expect(view(run([load(), fill, other])).is).toBe('conflict')
    // The form is empty, so the page shows the record.
    expect(view(run([load(), other])).is).toBe('decided')
  })

  test('a request that is still open can be decided at the new revision, with a new acknowledgement', () => {
    const machine = run([load(), fill, acknowledge, load({ revision: 2, quorum: 2, approvalsSoFar: 1 })])
    expect(view(machine)).toMatchObject({ is: 'conflict', stillOpen: true })
    const reviewed = run([{ type: 'reviewed' }], machine)
    expect(view(reviewed).is).toBe('drafting')
    expect(reviewed.draft).toEqual({ decision: 'approve', reason: 'Claim checked.', acknowledged: false })
    expect(run([acknowledge, submit], reviewed).attempt?.expectedRevision).toBe(2)
  })
})

describe('drifted', () => {
  const changed = load({ revision: 2, payloadDigest: `sha256:${'77'.repeat(32)}` })

  test('a changed payload is reported, even with an empty form', () => {
    const machine = run([load(), changed])
    expect(view(machine)).toMatchObject({ is: 'drifted', stillOpen: true })
    // The page still shows the version that the person read.
    expect(machine.shown?.payloadDigest).toBe(approval().payloadDigest)
  })

  test('digest_mismatch waits for the new payload, and reviewing binds it', () => {
    const refused = run([
      ...sent,
      { type: 'failed', failure: failureOf('digest_mismatch', 'Other bytes.', 409), now: NOW },
    ])
    expect(view(refused)).toEqual({ is: 'drifted', latest: undefined, stillOpen: false })
    const reviewed = run([changed, { type: 'reviewed' }, acknowledge, submitAs('key-2')], refused)
    expect(reviewed.attempt).toMatchObject({ idempotencyKey: 'key-2', payloadDigest: `sha256:${'77'.repeat(32)}` })
  })
})

describe('unknown', () => {
  test.each(['network', 'timeout', 'unreadable', 'internal', 'unavailable'] as const)(
    'after %s no outcome is claimed',
    (code) => {
      const machine = run([...sent, { type: 'failed', failure: failureOf(code, 'No answer.'), now: NOW }])
      expect(view(machine).is).toBe('unknown')
      expect(isEditable(view(machine))).toBe(false)
      expect(whyNotSubmit(machine, conditions())).toMatch(/^Checking/)
    },
  )

  test('unlocks only if the request is still pending at the same revision, and sends the same decision with the same key', () => {
    const machine = run([...sent, lost, load()])
    expect(view(machine)).toMatchObject({ is: 'drafting', notRecorded: true })
    expect(whyNotSubmit(machine, conditions())).toBeUndefined()
    expect(run([submitAs('key-2')], machine).attempt?.idempotencyKey).toBe('key-1')
    const other = run([{ type: 'edited', draft: { reason: 'Another reason.' } }, submitAs('key-2')], machine)
    expect(other.attempt?.idempotencyKey).toBe('key-2')
  })

  test('finds the person’s vote, also if the request stays pending for a second one', () => {
    const mine = vote(JONAS, 'Jonas', 'approve', 'Claim checked.')
    const machine = run([...sent, lost, load({ revision: 2, quorum: 2, votes: [mine] })])
    expect(view(machine)).toMatchObject({ is: 'recorded', record: { auditId: mine.auditId } })
  })

  test('becomes a conflict when another reviewer decided first', () => {
    expect(
      view(
        run([...sent, lost, load({ status: 'rejected', revision: 2, votes: [vote(ANNA, 'Anna', 'reject', 'No.')] })]),
      ).is,
    ).toBe('conflict')
  })

  test('a vote of the same person with another reason is not this decision', () => {
    const machine = run([
      ...sent,
      lost,
      load({ revision: 3, votes: [vote(JONAS, 'Jonas', 'approve', 'Earlier level.')] }),
    ])
    expect(view(machine).is).toBe('conflict')
  })
})

test('offline: the draft is kept and can be edited, but not sent', () => {
  const machine = run([load(), fill, acknowledge])
  expect(view(machine, { online: false }).is).toBe('offline')
  expect(isEditable(view(machine, { online: false }))).toBe(true)
  expect(whyNotSubmit(machine, conditions({ online: false }))).toMatch(/offline/)
  expect(whyNotSubmit(machine, conditions())).toBeUndefined()
})

test('rate-limited: counts down the server’s delay, then sends the same decision with the same key', () => {
  const failure = { ...failureOf('rate_limited', 'Too many.', 429), retryAfterSeconds: 12 }
  const machine = run([...sent, { type: 'failed', failure, now: NOW }])
  expect(view(machine)).toEqual({ is: 'rate-limited', seconds: 12 })
  expect(view(machine, { now: NOW + 11_001 })).toEqual({ is: 'rate-limited', seconds: 1 })
  expect(whyNotSubmit(machine, conditions({ now: NOW + 500 }))).toBe('Too many requests. Try again in 12 s.')
  expect(whyNotSubmit(machine, conditions({ now: NOW + 12_000 }))).toBeUndefined()
  expect(run([submitAs('key-2')], machine).attempt?.idempotencyKey).toBe('key-1')
})

test('session-ended: a refused token keeps the draft, and the same decision is sent after signing in again', () => {
  const machine = run([...sent, { type: 'failed', failure: failureOf('unauthorized', 'Ended.', 401), now: NOW }])
  expect(view(machine, { sessionEnded: true }).is).toBe('session-ended')
  expect(machine.draft.reason).toBe('Claim checked.')
  expect(whyNotSubmit(machine, conditions({ sessionEnded: true }))).toMatch(/Sign in again/)
  expect(whyNotSubmit(machine, conditions())).toBeUndefined()
  expect(run([submitAs('key-2')], machine).attempt?.idempotencyKey).toBe('key-1')
})

test('any other refusal shows the server’s message until the draft is edited', () => {
  const failure = failureOf('conflict', 'This request is already with the escalation group.', 409)
  const machine = run([...sent, { type: 'failed', failure, now: NOW }])
  expect(view(machine)).toMatchObject({ is: 'drafting', problem: failure })
  expect(view(run([{ type: 'edited', draft: { decision: 'reject' } }], machine))).toMatchObject({ problem: undefined })
})
