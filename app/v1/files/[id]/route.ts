import { download, fileResponse, fileWire } from '#server/files/download.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'files.download',
    operation: download,
    input: ({ params }) => params,
    respond: fileResponse,
    wire: fileWire,
  }),
})
