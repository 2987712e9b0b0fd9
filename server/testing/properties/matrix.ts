import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { collectCatalog } from '#server/catalog.ts'
import { addressOf, call, type ProofAnswer } from './call.ts'
import { type Cell, cellsOf } from './operations.ts'
import { type ProofSettings, type PropertyServer, startPropertyServer } from './server.ts'
import { buildWorld, type Credential, type Kind, type World } from './world.ts'

/** All operations of the catalog, and two tenants with an object of each kind: one calls, the other must not be visible. */
export const catalog = collectCatalog()
export type Entry = (typeof catalog)[number]
export const credentials: readonly Credential[] = ['person', 'service_account', 'api_key']
export type Selector = Record<string, string>

/** Whether the callers of the worlds may call the operation. An API key only has the permission that the specification maps. */
export const mayCall = (credential: Credential, { operation }: Entry, { also }: Cell): boolean =>
  credential !== 'api_key' || (['any', 'approval:list'].includes(operation.permission) && also === undefined)

export type Matrix = {
  server: PropertyServer
  own: World
  foreign: World
  /** Makes one call, and expects that the response contains no data of the tenant `hidden` (by default the other tenant). */
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
      // An error may contain the caller's input, but no other text of the other tenant.
      const echo = answer.status >= 400 && JSON.stringify([input, selector]).includes(hidden.tenant.slug)
      if (!echo) expect(seen, addressOf(entry)).not.toContain(hidden.tenant.slug)
      return answer
    },
    close: () => server.close(),
  }
}

const canary = () => `cnry-${randomBytes(16).toString('hex')}`

/** Returns an unused id of the same length and sort position: only the last digit differs. */
export const neverExisted = (id: string): string => `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`

export const cells = (chosen: (cell: Cell) => boolean): [Entry, Cell][] =>
  catalog.flatMap((entry) =>
    cellsOf(addressOf(entry))
      .filter(chosen)
      .map((cell): [Entry, Cell] => [entry, cell]),
  )

export const namesObject = ({ names }: Cell): boolean => isKind(names)
/** Returns the id of the object in this tenant that a cell's input names, or a plain name if the cell names no object. */
export const objectIn = ({ objects }: World, { names }: Cell): string => (isKind(names) ? objects[names] : 'a-name')
/** As `objectIn`, but for a mutation, which may use the object up, creates another object of its kind if the world can. */
export const objectToUse = async (entry: Entry, world: World, cell: Cell): Promise<string> => {
  const make = isKind(cell.names) && entry.operation.kind === 'mutation' ? world.another[cell.names] : undefined
  return make === undefined ? objectIn(world, cell) : await make()
}
const isKind = (names: Cell['names']): names is Kind => names !== 'nothing' && names !== 'new name'

/** Calls `work` for each cell. Throws the first failure of each operation that fails. Returns the number of calls. */
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

/** Returns all parts of a response that a caller can compare, without request id, receipt id, times and the sent reference. */
export function comparable({ status, headers, text }: ProofAnswer, sent?: string) {
  const anonymous = (value: string) => (sent === undefined ? value : value.replaceAll(sent, 'REFERENCE'))
  const varying = /^(date|x-request-id|ratelimit.*|retry-after)$/
  return {
    status,
    headers: [...headers].map(([name, value]) => [name, varying.test(name) ? 'varies' : anonymous(value)]),
    text: anonymous(text).replaceAll(/"(requestId|receiptId)":"[^"]*"/g, '"$1":""'),
  }
}
