import { list } from '#server/catalog/list.ts'
import { lasting, lastingWire } from '#server/kernel/answers/unchanged.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'catalog.list',
    operation: list,
    input: ({ query }) => query,
    respond: lasting,
    wire: lastingWire,
  }),
})
