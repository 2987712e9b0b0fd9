import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Client } from '#server/kernel/net/client-address.ts'
import { runtime } from '#server/kernel/runtime.ts'
import { deleteForgottenPlaces, insertPlace, isKnownPlace } from './place-store.ts'

/** The addresses at which an account or a client has proved itself in the last 30 days. */
export type Places = {
  /** The answer if this process knows it. */
  recall(account: string, client: Client): boolean | undefined
  isKnown(account: string, client: Client): Promise<boolean>
  /** Remembers a success, in the background: a failure to write it costs nothing but a place in a queue. */
  note(account: string, client: Client): void
}

/** Milliseconds for which an answer of the database is not asked again. */
const knownFor = 3_600_000
const unknownFor = 60_000

export function createPlaces(tenantId: string, key: Buffer): Places {
  const answers = new LRUCache<string, boolean>({ max: 10_000 })
  const nameOf = (account: string, { group }: Client) => `${account}/${group}`
  const digestOf = (name: string) => createHmac('sha256', key).update(`place ${name}`).digest()
  const remember = (name: string, known: boolean) => answers.set(name, known, { ttl: known ? knownFor : unknownFor })
  return {
    recall: (account, client) => answers.get(nameOf(account, client)),
    async isKnown(account, client) {
      const name = nameOf(account, client)
      const before = answers.get(name)
      if (before !== undefined) return before
      const digest = digestOf(name)
      const known = await runtime().database.inTenant(tenantId, (tx) => isKnownPlace(tx, tenantId, digest))
      // A success may have been noted while the database answered.
      if (answers.get(name) !== true) remember(name, known)
      return known
    },
    note(account, client) {
      const name = nameOf(account, client)
      if (answers.get(name) === true) return
      remember(name, true)
      const digest = digestOf(name)
      const { database, log } = runtime()
      database
        .inTenant(tenantId, (tx) => insertPlace(tx, tenantId, digest))
        .catch((error: unknown) => log.warn({ err: error, tenantId }, 'a place of a sign-in could not be remembered'))
    },
  }
}

/** Removes places without a success in the last 30 days. */
export const purgePlaces = (tenantId: string): Promise<void> =>
  runtime().database.inTenant(tenantId, (tx) => deleteForgottenPlaces(tx, tenantId))
