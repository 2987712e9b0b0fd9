import { createExport } from '#server/evidence/create-export.ts'
import { listExportJobs } from '#server/evidence/list-exports.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'evidence.listExports',
    operation: listExportJobs,
    input: ({ query: { limit, ...page } }) => ({ ...page, ...(limit === undefined ? {} : { limit: Number(limit) }) }),
  }),
  // 202: the archive is made afterwards.
  POST: rest({ name: 'evidence.createExport', operation: createExport, status: 202, input: ({ json }) => json() }),
})
