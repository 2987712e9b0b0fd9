import { getManifest, manifestResponse, manifestWire } from '#server/evidence/get-manifest.ts'
import { methods, rest } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({
  GET: rest({
    name: 'evidence.getManifest',
    operation: getManifest,
    input: ({ params }) => params,
    respond: manifestResponse,
    wire: manifestWire,
  }),
})
