import { archiveResponse, archiveWire, download, downloadInput } from '#server/evidence/download.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'evidence.download',
    operation: download,
    input: ({ params, request }) => downloadInput(params, request),
    respond: archiveResponse,
    wire: archiveWire,
  }),
})
