import { estimate, estimateInput, estimateWire } from '#server/evidence/estimate-export.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'evidence.estimateExport',
    operation: estimate,
    input: ({ query }) => estimateInput(query),
    wire: estimateWire,
  }),
})
