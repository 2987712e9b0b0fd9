import { NamesInput, NamesOutput } from '#lib/schemas/lists/search.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import type { Transaction } from '#server/kernel/db/database.ts'
import { query } from '#server/kernel/operation.ts'
import { namers } from './namers.ts'

/** The names of the objects that audit records are about, each kind by its own permission. */
export const names = query({
  permission: 'audit:read',
  input: NamesInput,
  output: NamesOutput,
  async run({ tx, tenant, principal, input: { objects } }) {
    const wanted = new Map(objects.map((object) => [JSON.stringify(object), object]))
    return { names: await namesOf(tx, tenant.id, principal, [...wanted.values()]) }
  },
})

type Named = { type: string; id: string }

/** The names of different objects that the caller may read. */
export async function namesOf(
  tx: Transaction,
  tenantId: string,
  { permissions }: Pick<Principal, 'permissions'>,
  objects: readonly Named[],
): Promise<(Named & { name: string })[]> {
  const found = await Promise.all(
    objects.map(async ({ type, id }) => {
      const namer = Object.hasOwn(namers, type) ? namers[type] : undefined
      if (namer === undefined || !namer.id.test(id) || !permissions.has(namer.permission)) return undefined
      const name = await namer.name(tx, tenantId, id)
      return name === undefined ? undefined : { type, id, name }
    }),
  )
  return found.flatMap((one) => one ?? [])
}
