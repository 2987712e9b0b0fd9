import { query } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { Reading } from '../protocol/inputs.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { readUser } from './read.ts'

/** One person of the provider. */
export const getUser = query({
  ...scimOnly,
  input: Reading,
  output: Resource,
  run: ({ tx, tenant, input }) => readUser(tx, tenant, input.id),
})
