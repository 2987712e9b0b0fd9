import { cancelExport } from '#server/evidence/cancel-export.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  POST: rest({
    name: 'evidence.cancelExport',
    operation: cancelExport,
    input: async ({ params, json }) => ({ ...Object(await json()), ...params }),
  }),
})
