import { file, fileResponse, fileWire } from '#server/audit-files/file.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'audit.file',
    operation: file,
    input: ({ query }) => query,
    respond: fileResponse,
    wire: fileWire,
  }),
})
