import { list } from '#server/catalog/list.ts'
import { methods, rest } from '#server/kernel/rest.ts'
import { lasting, lastingWire } from '#server/kernel/unchanged.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'catalog.list',
    operation: list,
    input: ({ query }) => query,
    respond: lasting,
    wire: lastingWire,
  }),
})
