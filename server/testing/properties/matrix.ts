import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { collectCatalog } from '#server/catalog.ts'
import { isForApiKeys } from '#server/kernel/auth/authorize.ts'
import { addressOf, call, type ProofAnswer } from './call.ts'
import { type Cell, cellsOf } from './operations.ts'
import { type ProofSettings, type PropertyServer, startPropertyServer } from './server.ts'
import { buildWorld, type Credential, type Kind, type World } from './world.ts'

/** Every operation of the catalog, and two tenants with an object of each kind: one calls, the other must stay unseen. */
export const catalog = collectCatalog()
export type Entry = (typeof catalog)[number]
export const credentials: readonly Credential[] = ['person', 'service_account', 'api_key']
export type Selector = Record<string, string>

/** Whether the callers of the worlds may call it at all: an API key has the one operation that the specification maps. */
export const mayCall = (credential: Credential, { operation }: Entry, { also }: Cell): boolean =>
  credential !== 'api_key' || (isForApiKeys(operation) && also === undefined)

export type Matrix = {
  server: PropertyServer
  own: World
  foreign: World
  /** One call; whatever it answers, nothing of the tenant `hidden` (the foreign one) may be in it. */
  ask(
    entry: Entry,
    credential: Record<string, string>,
    input: unknown,
    selector?: Selector,
    hidden?: World,
  ): Promise<ProofAnswer>
  close(): Promise<void>
}

export async function openMatrix(settings?: ProofSettings): Promise<Matrix> {
  const [ownSlug, foreignSlug] = [canary(), canary()]
  const server = await startPropertyServer([`ext-${ownSlug}`, `ext-${foreignSlug}`], settings)
  const own = await buildWorld(server, ownSlug)
  const foreign = await buildWorld(server, foreignSlug)
  return {
    server,
    own,
    foreign,
    async ask(entry, credential, input, selector = {}, hidden = foreign) {
      const answer = await call(server.baseUrl, entry, input, { ...selector, ...credential })
      const seen = `${answer.text}\n${[...answer.headers].join('\n')}`
      // What the caller wrote may come back in an error; nothing else of the other tenant.
      const echo = answer.status >= 400 && JSON.stringify([input, selector]).includes(hidden.tenant.slug)
      if (!echo) expect(seen, addressOf(entry)).not.toContain(hidden.tenant.slug)
      return answer
    },
    close: () => server.close(),
  }
}

const canary = () => `cnry-${randomBytes(16).toString('hex')}`

/** Nobody's, of the same length and the same place in every order: only the last digit differs. */
export const neverExisted = (id: string): string => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`

export const cells = (chosen: (cell: Cell) => boolean): [Entry, Cell][] =>
  catalog.flatMap((entry) =>
    cellsOf(addressOf(entry))
      .filter(chosen)
      .map((cell): [Entry, Cell] => [entry, cell]),
  )

export const namesObject = ({ names }: Cell): boolean => isKind(names)
/** The object that a cell's input names, in this tenant; a name of no object where it names none. */
export const objectIn = ({ objects }: World, { names }: Cell): string => (isKind(names) ? objects[names] : 'a-name')
/** The same, where the operation may use it up: another one of its kind, made for this call. */
export const objectToUse = async (entry: Entry, world: World, cell: Cell): Promise<string> => {
  const make = isKind(cell.names) && entry.operation.kind === 'mutation' ? world.another[cell.names] : undefined
  return make === undefined ? objectIn(world, cell) : await make()
}
const isKind = (names: Cell['names']): names is Kind => names !== 'nothing' && names !== 'new name'

/** Goes through the cells; of each operation that fails, the first failure is told. Gives the number of calls. */
export async function through(
  chosen: readonly [Entry, Cell][],
  work: (entry: Entry, cell: Cell) => Promise<number>,
): Promise<number> {
  const failures = new Map<string, string>()
  let cases = 0
  for (const [entry, cell] of chosen)
    try {
      cases += await work(entry, cell)
    } catch (error) {
      const address = addressOf(entry)
      if (!failures.has(address)) failures.set(address, error instanceof Error ? error.message : String(error))
    }
  if (failures.size > 0) throw new Error([...failures].map((failure) => failure.join('\n')).join('\n\n'))
  return cases
}

/** Everything that a stranger can compare: without the request's own id, the receipt's, and times, and without the reference that was sent. */
export function comparable({ status, headers, text }: ProofAnswer, sent?: string) {
  const anonymous = (value: string) => (sent === undefined ? value : value.replaceAll(sent, 'REFERENCE'))
  const varying = /^(date|x-request-id|ratelimit.*|retry-after)$/
  return {
    status,
    headers: [...headers].map(([name, value]) => [name, varying.test(name) ? 'varies' : anonymous(value)]),
    text: anonymous(text).replaceAll(/"(requestId|receiptId)":"[^"]*"/g, '"$1":""'),
  }
}
