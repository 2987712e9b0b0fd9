import { query } from '#server/kernel/operation.ts'
import { scimOnly } from '../door.ts'
import { Reading } from '../protocol/inputs.ts'
import { Resource } from '../protocol/resource-schema.ts'
import { readGroup } from './read.ts'

/** One group of the provider. */
export const getGroup = query({
  ...scimOnly,
  input: Reading,
  output: Resource,
  run: ({ tx, tenant, input }) => readGroup(tx, tenant, input.id, input.projection),
})
