import { NamesInput, NamesOutput } from '#lib/schemas/lists/search.ts'
import { query } from '#server/kernel/operation.ts'
import { namers } from './namers.ts'

/** The names of the objects that audit records are about, each kind by its own permission. */
export const names = query({
  permission: 'audit:read',
  input: NamesInput,
  output: NamesOutput,
  async run({ tx, tenant, principal, input: { objects } }) {
    const wanted = new Map(objects.map((object) => [JSON.stringify(object), object]))
    const found = await Promise.all(
      [...wanted.values()].map(async ({ type, id }) => {
        const namer = Object.hasOwn(namers, type) ? namers[type] : undefined
        if (namer === undefined || !namer.id.test(id) || !principal.permissions.has(namer.permission)) return undefined
        const name = await namer.name(tx, tenant.id, id)
        return name === undefined ? undefined : { type, id, name }
      }),
    )
    return { names: found.flatMap((one) => one ?? []) }
  },
})
