import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { invite } from '#server/access/members/invite.ts'
import { resetPassword } from '#server/access/members/reset-password.ts'
import { vouch } from '#server/access/members/vouch.ts'
import { decide } from '#server/approvals/decide.ts'
import { create as delegate } from '#server/approvals/delegations/create.ts'
import { onDecided } from '#server/approvals/subjects.ts'
import { registerDecisions } from '#server/jobs.ts'
import { authenticateApiKey } from '#server/kernel/auth/api-key.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { newId } from '#server/kernel/ids.ts'
import { closeEngine } from '#server/policies/engine/engine.ts'
import { createApiKey } from '#server/secrets/create-api-key.ts'
import { create as createAccount } from '#server/service-accounts/create.ts'
import { rotateSecret } from '#server/service-accounts/rotate-secret.ts'
import { type Organisation, organisation } from '#server/testing/people.ts'
import { testRuntime } from '#server/testing/tenant.ts'
import { countCases, sized } from './counts.ts'
import { type Asks, asks, call, groups, type Kind, machineKinds, ownedKinds, roles } from './same-person.ts'

// One person is one person: each way to have two accounts × each way to use them on a request × each kind of request. Each pair is
// refused with the link named, and the same pair is allowed once it is proved that two people control the accounts.

let running: Awaited<ReturnType<typeof testRuntime>>
beforeAll(async () => {
  running = await testRuntime()
  registerDecisions()
  for (const kind of ['tool_call', 'external_call'] as const) onDecided(kind, async () => undefined)
  await running.queue.work([{ queue: 'approval-expiry', concurrency: 1, run: () => Promise.resolve() }])
})
afterAll(async () => {
  await closeEngine()
  await running.close()
})

type World = { at: Organisation; ask: Asks; zoe: Caller; nia: Caller; ned: Caller }
type Pair = { a: Caller; b: Caller; says: RegExp; prove(): Promise<unknown> }

async function world(): Promise<World> {
  const at = await organisation(running)
  const zoe = await at.person('zoe', ['tenant_admin'])
  const nia = await at.person('nia', roles, groups)
  const ned = await at.person('ned', roles, groups)
  return { at, zoe, nia, ned, ask: await asks(at) }
}

const id = ({ principal }: Caller) => principal.memberId
const vote = (by: Caller, approvalId: string, decision = 'approve') =>
  call(decide, by, { approvalId, decision, decisionAcknowledged: true, reason: 'Read and found right.' })

async function invited(at: Organisation, by: Caller, username: string): Promise<Caller> {
  const input = { email: `${username}@mail.example`, username, displayName: username, roles: ['viewer'] }
  const { member, inviteUrl } = await call(invite, by, input)
  await at.use(inviteUrl ?? '')
  return await at.appoint(member.id, roles, groups)
}

/** A reset of an approver, which another approver has approved. */
async function reset({ at, nia }: World, by: Caller, who: Caller): Promise<void> {
  const { change } = await call(resetPassword, by, { id: id(who) })
  await vote(nia, change?.approvalId ?? '')
  await at.use((await call(resetPassword, by, { id: id(who) })).inviteUrl ?? '')
}

const vouched = ({ zoe }: Pick<World, 'zoe'>, who: Caller) =>
  call(vouch, zoe, { id: id(who), reason: 'I met them, and they showed me that they are signed in.' })

/** Each way in which two accounts of one person come about. */
const relations: Record<string, (world: World) => Promise<Pair>> = {
  async invited(world) {
    const a = await world.at.person('ada', roles, groups)
    const b = await invited(world.at, a, 'bo')
    return { a, b, says: /invited/, prove: () => vouched(world, b) }
  },
  async reset(world) {
    const a = await world.at.person('ada', roles, groups)
    const b = await world.at.person('bo', roles, groups)
    await reset(world, a, b)
    return { a, b, says: /reset/, prove: () => vouched(world, b) }
  },
  async 'invited by another person and then reset'(world) {
    const a = await world.at.person('ada', roles, groups)
    const b = await invited(world.at, world.zoe, 'bo')
    await reset(world, a, b)
    return { a, b, says: /reset|invited/, prove: () => call(vouch, world.ned, { id: id(b), reason: 'I met them.' }) }
  },
  async 'two accounts that one person invited'(world) {
    const holder = await world.at.person('hal', roles)
    const [a, b] = [await invited(world.at, holder, 'ada'), await invited(world.at, holder, 'bo')]
    return {
      a,
      b,
      says: /hal invited .* hal also invited/,
      prove: async () => [await vouched(world, a), await vouched(world, b)],
    }
  },
  async 'two accounts of which one person invited one and reset the other'(world) {
    const holder = await world.at.person('hal', roles)
    const [a, b] = [await invited(world.at, holder, 'ada'), await world.at.person('bo', roles, groups)]
    await reset(world, holder, b)
    return { a, b, says: /hal (invited|reset)/, prove: async () => [await vouched(world, a), await vouched(world, b)] }
  },
  async 'invited in another tenant, both guests here'(world) {
    const home = await organisation(running)
    const [admin, ada] = [await home.person('gus', ['tenant_admin']), await home.person('ada', roles)]
    const bo = await invited(home, ada, 'bo')
    const [a, b] = [await world.at.guest(ada, roles, groups), await world.at.guest(bo, roles, groups)]
    return { a, b, says: /invited/, prove: () => vouched({ zoe: admin }, bo) }
  },
  async 'reset after roles changed on the way'(world) {
    const a = await world.at.person('ada', roles, groups)
    const plain = await world.at.person('bo', ['viewer'])
    await world.at.use((await call(resetPassword, a, { id: id(plain) })).inviteUrl ?? '')
    const b = await world.at.appoint(id(plain), roles, groups)
    return { a, b, says: /reset/, prove: () => vouched(world, b) }
  },
}

/** How the accounts are used on one request, which the second decides. `kinds`: those for which the way exists. */
type Shape = { kinds: readonly Kind[]; run(world: World, pair: Pair, kind: Kind): Promise<unknown> }

let named = 0
const account = async ({ at }: World, by: Caller): Promise<Caller> => {
  const { clientId } = await call(createAccount, by, { name: `bot-${++named}`, roles: ['developer'] })
  const list = await running.database.inTenant(at.tenant.id, (tx) =>
    tx
      .selectFrom('members')
      .select('id')
      .where('tenantId', '=', at.tenant.id)
      .where('subject', '=', clientId)
      .execute(),
  )
  return await at.caller(list[0]?.id ?? '')
}
const everyKind: readonly Kind[] = [
  'tool_call',
  'external_call',
  'unmask',
  'release',
  'binding',
  'labels',
  'role_grant',
  'group_change',
  'setting_change',
  'password_reset',
]

const shapes: Record<string, Shape> = {
  'the first asks, the second decides': {
    kinds: everyKind,
    run: async ({ ask }, { a, b }, kind) => vote(b, await ask[kind](a)),
  },
  'the second asks, the first decides': {
    kinds: everyKind,
    run: async ({ ask }, { a, b }, kind) => vote(a, await ask[kind](b)),
  },
  'the second asks, the first escalates': {
    kinds: everyKind,
    run: async ({ ask }, { a, b }, kind) => vote(a, await ask[kind](b), 'escalate'),
  },
  'a service account of the first asks, the second decides': {
    kinds: machineKinds,
    run: async (world, { a, b }, kind) => vote(b, await world.ask[kind](await account(world, a))),
  },
  'a service account of the second asks, the first decides': {
    kinds: machineKinds,
    run: async (world, { a, b }, kind) => vote(a, await world.ask[kind](await account(world, b))),
  },
  'a service account whose secret the first rotated asks, the second decides': {
    kinds: machineKinds,
    async run(world, { a, b }, kind) {
      const bot = await account(world, world.zoe)
      await call(rotateSecret, a, { clientId: bot.principal.subject })
      return await vote(b, await world.ask[kind](bot))
    },
  },
  'the first owns the agent, the second decides': {
    kinds: ownedKinds,
    run: async ({ ask, ned }, { a, b }, kind) => vote(b, await ask[kind](ned, { owner: a })),
  },
  'the second owns the agent, the first decides': {
    kinds: ownedKinds,
    run: async ({ ask, ned }, { a, b }, kind) => vote(a, await ask[kind](ned, { owner: b })),
  },
  'the first would gain, the second decides': {
    kinds: ['role_grant', 'group_change'],
    run: async ({ ask, ned }, { a, b }, kind) => vote(b, await ask[kind](ned, { gains: a })),
  },
  'the first asks, a delegate of the second decides': {
    kinds: everyKind,
    async run({ at, ask }, { a, b }, kind) {
      const substitute = await at.person(`sue-${++named}`, ['approver'])
      await call(delegate, b, { delegate: id(substitute), until: tomorrow(), reason: 'On leave.' })
      return await vote(substitute, await ask[kind](a))
    },
  },
  'the first asks, the second decides as the delegate of an approver': {
    kinds: everyKind,
    async run({ at, ask }, { a, b }, kind) {
      const absent = await at.person(`abe-${++named}`, roles, groups)
      await call(delegate, absent, { delegate: id(b), until: tomorrow(), reason: 'On leave.' })
      return await vote(b, await ask[kind](a))
    },
  },
  'both vote where two people have to': {
    kinds: ['tool_call'],
    async run({ ask, zoe }, { a, b }, kind) {
      const approvalId = await ask[kind](zoe, { quorum: 2 })
      await vote(a, approvalId)
      return await vote(b, approvalId)
    },
  },
  'both vote where two people have to, the second first': {
    kinds: ['tool_call'],
    async run({ ask, zoe }, { a, b }, kind) {
      const approvalId = await ask[kind](zoe, { quorum: 2 })
      await vote(b, approvalId)
      return await vote(a, approvalId)
    },
  },
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

describe.each(Object.entries(relations))('%s', (_name, relate) => {
  test('counts as one person until control is proved, and as two afterwards', async (context) => {
    const here = await world()
    const pair = await relate(here)
    let cases = 0
    const through = async (check: (run: () => Promise<unknown>, what: string) => Promise<void>) => {
      for (const [index, [what, { kinds, run }]] of Object.entries(shapes).entries())
        for (const kind of sized(kinds, [kinds[index % kinds.length] ?? 'tool_call'])) {
          await check(() => run(here, pair, kind), `${what}: ${kind}`)
          cases++
        }
    }
    await through(async (run, what) => {
      const refused = await run().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(refused, what).toMatchObject({ code: 'separation_of_duties' })
      const message = refused instanceof Error ? refused.message : ''
      expect(message, what).toMatch(what.includes('delegate of the second') ? /delegate of .*, who caused/ : pair.says)
    })
    await pair.prove()
    await through(async (run, what) => {
      const given = await run().catch((error: unknown) => error)
      const status = what.includes('escalates') ? 'pending' : 'approved'
      expect(given, what).toMatchObject({ status })
    })
    countCases(context, cases)
  }, 240_000)
})

/** How one account is behind a request that it then decides. Returns the request. */
type Alone = { kinds: readonly Kind[]; run(world: World, self: Caller, kind: Kind): Promise<string> }

const alone: Record<string, Alone> = {
  'its own request': { kinds: everyKind, run: ({ ask }, self, kind) => ask[kind](self) },
  'a request of its service account': {
    kinds: machineKinds,
    run: async (world, self, kind) => world.ask[kind](await account(world, self)),
  },
  'a request of a service account whose secret it rotated': {
    kinds: machineKinds,
    async run(world, self, kind) {
      const bot = await account(world, world.zoe)
      await call(rotateSecret, self, { clientId: bot.principal.subject })
      return await world.ask[kind](bot)
    },
  },
  'a request of its API key': {
    kinds: ['tool_call', 'external_call'],
    async run({ at, ask }, self, kind) {
      const { key } = await call(createApiKey, self, { name: `key-${++named}`, permissions: ['traces:write'] })
      const requestId = newId()
      const presented = { tenantExternalId: undefined, tenantId: undefined, requestId }
      const caller = await running.database.inDirectory((tx) => authenticateApiKey(key ?? '', presented, tx))
      expect(caller.tenant.id).toBe(at.tenant.id)
      return await ask[kind](caller)
    },
  },
  'a request about its agent': {
    kinds: ownedKinds,
    run: ({ ask, ned }, self, kind) => ask[kind](ned, { owner: self }),
  },
  'a request from which it gains': {
    kinds: ['role_grant', 'group_change'],
    run: ({ ask, ned }, self, kind) => ask[kind](ned, { gains: self }),
  },
}

describe('one account', () => {
  test.each(Object.entries(alone))(
    'does not decide %s, which another person may',
    async (what, { kinds, run }) => {
      const here = await world()
      for (const kind of sized(kinds, kinds.slice(0, 2))) {
        const self = await here.at.person(`ada-${++named}`, roles, groups)
        const approvalId = await run(here, self, kind)
        await expect(vote(self, approvalId), `${what}: ${kind}`).rejects.toMatchObject({ code: 'separation_of_duties' })
        expect(await vote(here.nia, approvalId), `${what}: ${kind}`).toMatchObject({ status: 'approved' })
      }
    },
    120_000,
  )

  test('that joins the group after its request does not decide it either', async () => {
    const { at, ask, nia } = await world()
    for (const kind of sized(everyKind, ['tool_call', 'release'] as const)) {
      const outside = await at.person(`bo-${++named}`, roles)
      const approvalId = await ask[kind](outside)
      const inside = await at.appoint(id(outside), roles, groups)
      await expect(vote(inside, approvalId), kind).rejects.toMatchObject({ code: 'separation_of_duties' })
      expect(await vote(nia, approvalId), kind).toMatchObject({ status: 'approved' })
    }
  }, 120_000)
})
