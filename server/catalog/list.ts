import { Catalog } from '#lib/schemas/catalog.ts'
import { noInput, query } from '#server/kernel/operation.ts'
import { catalog } from './operations.ts'

/** Every operation of this server with its required permission and its schemas. */
export const list = query({
  permission: 'any',
  input: noInput,
  output: Catalog,
  run: async () => catalog(),
})
