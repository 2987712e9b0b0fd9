import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest'
import { type Answer, type Calls, callsTo, payload, reason, startApi, type TestApi } from '#server/testing/api.ts'
import { type SecondNode, secondNode } from '#server/testing/processes/second-node.ts'
import { approve, releaseRefundAgent } from '#server/testing/refund-agent.ts'
import { until } from '#server/testing/until.ts'
import { countCases, sized } from './counts.ts'

// Two processes of one installation decide the same request, or use the same standing grant, at the same moment. Each round
// ends in one way, with one record, and those that lose get the conflict that the API documents.

const rounds = sized(1000, 6)
/** Rounds that run concurrently, so that the two nodes also meet in other requests; more of them where each mostly waits. */
const lanes = { busy: 4, waiting: 16 }

let api: TestApi
let node: SecondNode
/** The two processes, which take tokens of the first one. */
let nodes: [Calls, Calls]
const tokens = { jonas: '', anna: '', vera: '', ci: '' }
const agents = { patient: '', hasty: '', low: '' }
beforeAll(async () => {
  api = await startApi()
  node = await secondNode(api, { LOG_LEVEL: 'error' })
  nodes = [api, callsTo(node.baseUrl, api.credentials)]
  for (const name of ['jonas', 'anna', 'vera'] as const) tokens[name] = await api.person(name)
  tokens.ci = await api.client('ci-pipeline')
  const changed = (name: string, from: string, to: string) =>
    releaseRefundAgent(api, name, { change: (manifest) => manifest.replace(from, to) })
  agents.patient = await releaseRefundAgent(api, 'races-patient')
  agents.hasty = await changed('races-hasty', 'expiresAfter: P7D', `expiresAfter: PT${seconds}S`)
  agents.low = await changed('races-low', 'tier: high', 'tier: low')
}, 240_000)
afterAll(async () => {
  await node.close()
  await api.close()
})

/** The time in which a hasty request can be decided. */
const seconds = 2

/** A refund that an agent elsewhere wants to make. */
const refund = (agentId: string, id: string, amount = '10.00') => ({
  agentId,
  environment: 'production',
  resource: 'payments/issue_refund',
  arguments: { id, amount, currency: 'EUR' },
})
const ask = async (agentId: string, id: string = randomUUID()): Promise<{ approvalId: string; expiresAt: string }> =>
  payload(await api.mutate(tokens.ci, 'approvals.request', refund(agentId, id)))

type Person = 'jonas' | 'anna'
type Given = { approvalId: string; decision: 'approve' | 'reject'; key?: string }
const decide = (at: Calls, who: Person, { key, ...given }: Given) =>
  at.mutate(
    tokens[who],
    'approvals.decide',
    { ...given, decisionAcknowledged: true, reason: `${given.decision} by ${who}` },
    key === undefined ? {} : { 'idempotency-key': key },
  )

type Shown = { status: string; votes: { decision: string; reason: string }[]; changes: object | null }
/** As either node shows it. */
const read = async (round: number, approvalId: string): Promise<Shown> =>
  payload(await nodeOf(round).query(tokens.jonas, 'approvals.get', { approvalId }))
const nodeOf = (round: number): Calls => nodes[round % 2 === 0 ? 0 : 1]

/** The actions in the log about an object, sorted. */
async function recorded(resourceId: string): Promise<string[]> {
  const found = payload<{ items: { type: string }[] }>(
    await api.query(tokens.vera, 'audit.list', { resourceId, limit: 100 }),
  )
  return found.items.map(({ type }) => type).sort()
}

/** Performs all rounds, a few of them concurrently, and counts them. */
async function race(
  context: TestContext,
  round: (number: number, lane: number) => Promise<void>,
  width = lanes.busy,
): Promise<void> {
  let next = 0
  const run = async (_: unknown, lane: number) => {
    while (next < rounds) {
      const number = next
      next += 1
      await round(number, lane)
    }
  }
  await Promise.all(Array.from({ length: width }, run))
  countCases(context, rounds)
}

const won = ({ status }: Answer): boolean => status === 200

/** Expects that exactly one of two calls won, and that the other one got 409 because the request is decided. Returns the winner's place. */
function expectOneWinner(answers: readonly [Answer, Answer]): 0 | 1 {
  expect(answers.filter(won), answers.map(({ text }) => text).join('\n')).toHaveLength(1)
  const winner = won(answers[0]) ? 0 : 1
  const loser = answers[winner === 0 ? 1 : 0]
  expect([loser.status, reason(loser)]).toEqual([409, 'already_decided'])
  return winner
}

test(`${rounds} times two decisions meet on two nodes: one is recorded, and the other gets 409`, async (context) => {
  await race(context, async (round) => {
    const { approvalId } = await ask(agents.patient)
    const [near, far] = [nodeOf(round), nodeOf(round + 1)]
    // Two people who disagree, two who agree, one person in two windows.
    const other: Person = round % 3 === 2 ? 'jonas' : 'anna'
    const verdict = round % 3 === 1 ? 'approve' : 'reject'
    const answers = await Promise.all([
      decide(near, 'jonas', { approvalId, decision: 'approve' }),
      decide(far, other, { approvalId, decision: verdict }),
    ])
    const decision = expectOneWinner(answers) === 0 ? 'approve' : verdict
    const by = won(answers[0]) ? 'jonas' : other
    const { status, votes } = await read(round, approvalId)
    expect(status).toBe(decision === 'approve' ? 'approved' : 'rejected')
    expect(votes).toMatchObject([{ decision, reason: `${decision} by ${by}` }])
    expect(await recorded(approvalId)).toEqual([`approval.${decision}`, 'approval.requested'])
  })
}, 3_600_000)

test(`${rounds} times one decision is sent to two nodes under one key: it counts once, and both get its record`, async (context) => {
  await race(context, async (round) => {
    const { approvalId } = await ask(agents.patient)
    const given = { approvalId, decision: 'approve', key: randomUUID() } as const
    const answers = await Promise.all(nodes.map((at) => decide(at, 'jonas', given)))
    const [one, other] = answers.map((answer) => payload<{ auditId: string }>(answer).auditId)
    expect(other).toBe(one)
    expect((await read(round, approvalId)).votes).toHaveLength(1)
    expect(await recorded(approvalId)).toEqual(['approval.approve', 'approval.requested'])
  })
}, 3_600_000)

test(`${rounds} times a decision meets a request for changes on two nodes: one of them ends the request`, async (context) => {
  await race(context, async (round) => {
    const { approvalId } = await ask(agents.patient)
    const [near, far] = [nodeOf(round), nodeOf(round + 1)]
    const answers = await Promise.all([
      decide(near, 'jonas', { approvalId, decision: 'approve' }),
      far.mutate(tokens.anna, 'approvals.requestChanges', { approvalId, reason: 'At most what was paid.' }),
    ])
    const approved = expectOneWinner(answers) === 0
    const { status, votes, changes } = await read(round, approvalId)
    expect([status, votes.length, changes === null]).toEqual(approved ? ['approved', 1, true] : ['canceled', 0, false])
    expect(await recorded(approvalId)).toEqual([
      approved ? 'approval.approve' : 'approval.changes_requested',
      'approval.requested',
    ])
  })
}, 3_600_000)

test(`${rounds} times a decision meets the deadline on two nodes: the request is decided or expired, never both`, async (context) => {
  const ends = { approved: 0, expired: 0 }
  await race(
    context,
    async (round) => {
      const { approvalId, expiresAt } = await ask(agents.hasty)
      // From well before the deadline to well after it, most of them close to it.
      const place = (2 * (round + 0.5)) / rounds - 1
      const offset = (place < 0 ? 1500 : 400) * place ** 3
      await delay(Math.max(0, Date.parse(expiresAt) + offset - Date.now()))
      const answer = await decide(nodeOf(round), 'jonas', { approvalId, decision: 'approve' })
      const { status, votes } = await until(async () => {
        const shown = await read(round, approvalId)
        return shown.status === 'pending' ? undefined : shown
      }, 'the request ends')
      if (won(answer)) expect([status, votes.length]).toEqual(['approved', 1])
      else {
        expect([answer.status, reason(answer), status, votes.length]).toEqual([409, 'already_decided', 'expired', 0])
      }
      expect(await recorded(approvalId)).toEqual([
        won(answer) ? 'approval.approve' : 'approval.expired',
        'approval.requested',
      ])
      ends[won(answer) ? 'approved' : 'expired'] += 1
    },
    lanes.waiting,
  )
  // Otherwise no decision met the deadline. A few rounds may all end in one way.
  if (rounds === 1000) expect(Math.min(...Object.values(ends))).toBeGreaterThan(0)
}, 3_600_000)

type Grant = { id: string; status: string; uses: number; spent: { total: string } | null }

/** An active grant for refunds of one order, proposed by anna and approved by jonas. `from`: an approved refund of it. */
async function activeGrant(from: string, uses: number, total: string): Promise<string> {
  const until = new Date(Date.now() + 86_400_000).toISOString()
  const terms = { ceiling: { argument: 'amount', perCall: '50', total }, uses, until }
  const proposed = payload<{ grantId: string; approvalId: string }>(
    await api.mutate(tokens.anna, 'approvals.proposeGrant', { approvalId: from, terms, reason: 'The same each week.' }),
  )
  await approve(api, proposed.approvalId)
  return proposed.grantId
}

test(`${rounds} times calls on two nodes use one standing grant: never more than its count or its total`, async (context) => {
  const sources = await Promise.all(
    Array.from({ length: lanes.busy }, async (_, lane) => {
      const { approvalId } = await ask(agents.low, `lane-${lane}`)
      await approve(api, approvalId)
      return approvalId
    }),
  )
  await race(context, async (round, lane) => {
    // The limit is the count, the total, or the end by a reviewer.
    const limit = (['count', 'total', 'revoked'] as const)[round % 3]
    const amounts = ['10', '20', '30', '40']
    const [uses, total] = limit === 'count' ? [2, '1000'] : limit === 'total' ? [10, '60'] : [10, '1000']
    const grantId = await activeGrant(sources[lane] ?? '', uses, total)
    const end = () => api.mutate(tokens.anna, 'approvals.revokeGrant', { grantId, reason: 'Not any more.' })
    const [, ...answers] = await Promise.all([
      limit === 'revoked' ? end() : undefined,
      ...amounts.map((amount, index) =>
        nodeOf(index).mutate(tokens.ci, 'policies.evaluate', refund(agents.low, `lane-${lane}`, amount)),
      ),
    ])
    const effects = answers.map((answer) => payload<{ effect: string; standingGrantId?: string }>(answer))
    const used = amounts.filter((_, index) => effects[index]?.standingGrantId === grantId)
    for (const { effect, standingGrantId } of effects)
      expect([effect, standingGrantId]).toEqual(
        effect === 'allow' ? ['allow', grantId] : ['require_approval', undefined],
      )
    const spent = used.reduce((sum, amount) => sum + Number(amount), 0)
    expect(spent).toBeLessThanOrEqual(Number(total))
    if (limit === 'count') expect(used).toHaveLength(2)
    // The smallest amounts that are left would have fitted.
    if (limit === 'total')
      expect(60 - spent).toBeLessThan(Math.min(...amounts.map(Number).filter((one) => !used.includes(String(one)))))
    await expectBooked(grantId, used, {
      status: limit === 'count' ? 'used_up' : limit === 'total' ? 'active' : 'revoked',
    })
    if (limit === 'total') payload(await end())
  })
}, 3_600_000)

/** Expects that the grant lists, counts, sums and records exactly these uses. */
async function expectBooked(grantId: string, used: readonly string[], expected: object): Promise<void> {
  const listed = payload<{ items: { number: number; amount: string }[] }>(
    await api.query(tokens.vera, 'approvals.listGrantUses', { grantId }),
  ).items
  expect(listed.map(({ amount }) => amount).sort()).toEqual([...used].sort())
  expect(listed.map(({ number }) => number)).toEqual(used.map((_, index) => used.length - index))
  const { items } = payload<{ items: Grant[] }>(
    await api.query(tokens.vera, 'approvals.listGrants', { agentId: agents.low, limit: 100 }),
  )
  const total = String(used.reduce((sum, amount) => sum + Number(amount), 0))
  expect(items.find(({ id }) => id === grantId)).toMatchObject({ ...expected, uses: used.length, spent: { total } })
  const records = await recorded(grantId)
  expect(records.filter((type) => type === 'standing_grant.used')).toHaveLength(used.length)
}
