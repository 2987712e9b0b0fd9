import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Permission, permissionsOf, rolePermissions } from '#lib/permissions.ts'
import { collectCatalog } from '#server/catalog.ts'
import type { Caller } from '#server/kernel/auth/principal.ts'
import { execute, type Operation } from '#server/kernel/operation.ts'
import { errorResponse, type RouteHandler, workOf } from '#server/kernel/rest.ts'
import { answerProcedure } from '#server/kernel/trpc.ts'
import { appRouter } from '#server/router.ts'
import { routes } from '#server/routes.ts'
import { addressOf, call, nonsenseFor, type ProofAnswer, paramsOf, readAnswer, requestOf } from './call.ts'
import { countCases, sized } from './counts.ts'
import { tenantDigest } from './digest.ts'
import { cellsOf, lines } from './operations.ts'
import { type PropertyServer, startPropertyServer } from './server.ts'
import { craftedCaller } from './tenant.ts'
import { buildWorld, everyRole, type World } from './world.ts'

// Authorization of every operation in the catalog: with all permissions except its own, with only its own, and with each
// role over HTTP. An input that no schema accepts shows that the permission is checked first.

const catalog = collectCatalog()
type Entry = (typeof catalog)[number]
const everyPermission = permissionsOf(everyRole)
const nonsense = (entry: Entry) => nonsenseFor(entry, world.tenant)

let server: PropertyServer
let world: World
let memberId: string
/** In milliseconds. Each test calls every operation of the catalog, on a machine that may be busy. */
const perTest = 300_000

beforeAll(async () => {
  const slug = 'cnry-function-level'
  server = await startPropertyServer([`ext-${slug}`])
  world = await buildWorld(server, slug)
  memberId = await world.tenant.memberId('pat')
}, 300_000)
afterAll(() => server.close())

/** Calls the operation without its transport, as a member with exactly these permissions, which no role has. */
async function as(permissions: ReadonlySet<Permission>, entry: Entry, input: unknown): Promise<ProofAnswer> {
  const caller: Caller = craftedCaller(world.tenant, memberId, permissions)
  if (entry.transport === 'procedure') {
    const { path, init } = requestOf(entry, input)
    return await readAnswer(
      await answerProcedure(new Request(new URL(path, server.baseUrl), init), appRouter, { caller }),
    )
  }
  const work = workOf(handlerOf(entry))
  try {
    if (work !== undefined) {
      const { path, init } = requestOf(entry, input)
      const request = new Request(new URL(path, server.baseUrl), init)
      const params = Promise.resolve(paramsOf(entry, input))
      const admission = { claim: () => undefined, end: async () => undefined }
      return await readAnswer(await work(caller, request, { params }, admission))
    }
    const output = await execute(entry.operation as Operation<unknown, unknown>, caller, input, { name: entry.name })
    return await readAnswer(Response.json(output ?? null))
  } catch (error) {
    return await readAnswer(errorResponse(error, caller.requestId))
  }
}

function handlerOf({ path, method }: Entry): RouteHandler {
  const [, module] = routes.find(([routed]) => routed === path) ?? []
  const handler = module?.[method]
  if (handler === undefined) throw new Error(`${method} ${path} does not have a handler.`)
  return handler
}

const needed = ({ operation: { permission } }: Entry): Permission[] => (permission === 'any' ? [] : [permission])
const sufficient = (entry: Entry): Permission[] => {
  const { permissionForOwn } = entry.operation
  return permissionForOwn === undefined ? needed(entry) : [...needed(entry), permissionForOwn]
}
const without = (...permissions: Permission[]) =>
  new Set([...everyPermission].filter((permission) => !permissions.includes(permission)))
const refusal = (entry: Entry) => [addressOf(entry), 403, 'forbidden', entry.operation.permission]
const told = (entry: Entry, { status, reason, permission }: ProofAnswer) => [
  addressOf(entry),
  status,
  reason,
  permission,
]

function expectLetIn(entry: Entry, { status, reason, text }: ProofAnswer): void {
  expect(status, `${addressOf(entry)}: ${text}`).not.toBe(401)
  expect(status, `${addressOf(entry)}: ${text}`).toBeLessThan(500)
  expect(reason, `${addressOf(entry)}: ${text}`).not.toBe('forbidden')
}

/** Runs a few calls at a time. Returns their number. */
async function together(entries: readonly Entry[], work: (entry: Entry) => Promise<void>): Promise<number> {
  const waiting = [...entries]
  const worker = async () => {
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) await work(entry)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
  return entries.length
}

test(
  'with every other permission, each operation answers 403 and names the missing one before it reads the input',
  async (context) => {
    const guarded = catalog.filter((entry) => entry.operation.permission !== 'any')
    const before = await tenantDigest(server.owner, world.tenant.id)
    for (const entry of guarded)
      for (const input of [nonsense(entry), await cellsOf(addressOf(entry))[0]?.input('none', world)])
        expect(told(entry, await as(without(...sufficient(entry)), entry, input))).toEqual(refusal(entry))
    expect(await tenantDigest(server.owner, world.tenant.id)).toEqual(before)
    countCases(context, guarded.length * 2)
  },
  perTest,
)

test(
  'with only its permission, each operation accepts the caller',
  async (context) => {
    let cases = 0
    for (const entry of catalog) {
      expectLetIn(entry, await as(new Set(needed(entry)), entry, nonsense(entry)))
      cases += 1
      for (const cell of cellsOf(addressOf(entry))) {
        if (cell.names === 'new name') continue
        const own = cell.names === 'nothing' ? '' : world.objects[cell.names]
        const permissions = [...needed(entry), ...(cell.also === undefined ? [] : [cell.also])]
        expectLetIn(entry, await as(new Set(permissions), entry, await cell.input(own, world)))
        cases += 1
      }
    }
    countCases(context, cases)
  },
  perTest,
)

test(
  'the error also names a further permission that an operation checks itself',
  async (context) => {
    let cases = 0
    for (const entry of catalog)
      for (const { also, names, input } of cellsOf(addressOf(entry))) {
        if (also === undefined || names === 'nothing' || names === 'new name') continue
        const answer = await as(new Set(needed(entry)), entry, await input(world.objects[names], world))
        if (answer.status === 403) expect(answer.permission, addressOf(entry)).toBe(also)
        cases += 1
      }
    countCases(context, cases)
  },
  perTest,
)

test(
  'without a token, and with an invalid one, each operation answers 401',
  async (context) => {
    for (const entry of catalog)
      for (const authorization of [undefined, 'Bearer none', 'Basic cGF0OnBhdA==']) {
        const answer = await call(server.baseUrl, entry, nonsense(entry), { authorization })
        expect(told(entry, answer)).toEqual([addressOf(entry), 401, 'unauthorized', undefined])
        expect(answer.headers.get('www-authenticate'), addressOf(entry)).toMatch(/^Bearer /)
      }
    countCases(context, catalog.length * 3)
  },
  perTest,
)

test('over HTTP each role permits what the table of roles states, for a person and for a service account', async (context) => {
  let cases = 0
  for (const role of everyRole) {
    const name = role.replaceAll(/[^a-z]/g, '-')
    const tokens = {
      person: await world.tenant.signedIn(`person-${name}`, [role]),
      service_account: await world.tenant.machine(`machine-${name}`, [role]),
    }
    // In npm test, machines have one role, because the grants of a role don't depend on the kind of principal.
    const kinds = Object.entries(tokens).filter(([kind]) => sized(true, kind === 'person' || role === everyRole[0]))
    for (const [kind, token] of kinds)
      cases += await together(catalog, async (entry) => {
        const { permission } = entry.operation
        const answer = await call(server.baseUrl, entry, nonsense(entry), { authorization: `Bearer ${token}` })
        if (permission === 'any' || (rolePermissions[role] as readonly string[]).includes(permission))
          expectLetIn(entry, answer)
        else expect([kind, role, ...told(entry, answer)]).toEqual([kind, role, ...refusal(entry)])
      })
  }
  countCases(context, cases)
}, 300_000)

test(
  'a body that is not JSON discloses nothing to a caller without the permission',
  async (context) => {
    const authorization = `Bearer ${await world.tenant.machine('machine-of-nothing', [])}`
    const posts = catalog.filter((entry) => entry.method === 'POST' && entry.operation.permission !== 'any')
    for (const entry of posts) {
      const { path } = requestOf(entry, nonsense(entry))
      const headers = { authorization, 'content-type': 'application/json' }
      const response = await fetch(new URL(path, server.baseUrl), { method: 'POST', headers, body: '{"json":' })
      expect(told(entry, await readAnswer(response))).toEqual(refusal(entry))
    }
    countCases(context, posts.length)
  },
  perTest,
)

test(
  'each operation requires the permission that the design assigns to it',
  () => {
    const designed = (entry: Entry) => [addressOf(entry), lines[addressOf(entry)]?.[0]]
    expect(catalog.map((entry) => [addressOf(entry), entry.operation.permission])).toEqual(catalog.map(designed))
  },
  perTest,
)

test(
  'each permission that an operation requires is granted by a role',
  () => {
    expect(catalog.flatMap(needed).filter((permission) => !everyPermission.has(permission))).toEqual([])
  },
  perTest,
)
