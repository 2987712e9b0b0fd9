import { openapi } from '#server/catalog/openapi.ts'
import { methods, rest } from '#server/kernel/rest.ts'
import { lasting, lastingWire } from '#server/kernel/unchanged.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'catalog.openapi',
    operation: openapi,
    input: ({ query }) => query,
    respond: lasting,
    wire: lastingWire,
  }),
})
