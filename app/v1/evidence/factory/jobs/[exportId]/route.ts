import { getExport } from '#server/evidence/get-export.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({ name: 'evidence.getExport', operation: getExport, input: ({ params }) => params }),
})
