import { openapi } from '#server/catalog/openapi.ts'
import { lasting, lastingWire } from '#server/kernel/answers/unchanged.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'catalog.openapi',
    operation: openapi,
    input: ({ query }) => query,
    respond: lasting,
    wire: lastingWire,
  }),
})
