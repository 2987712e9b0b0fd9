import { ReceivedFile, StoredFile } from '#lib/schemas/files.ts'
import { authorize } from '#server/kernel/auth/authorize.ts'
import { newId } from '#server/kernel/ids.ts'
import { parametersOf } from '#server/kernel/input.ts'
import { mutation, perform } from '#server/kernel/operation.ts'
import { authenticated, declare } from '#server/kernel/rest.ts'
import { discard, keep, receive } from './content.ts'
import { insertFile, lockDigest } from './store.ts'

/** Stores a received file under its digest. The same content again becomes another file with the same bytes. */
export const upload = mutation({
  permission: 'input:submit',
  input: ReceivedFile,
  output: StoredFile,
  audit: ({ sha256, bytes }, output) => ({
    action: 'file.stored',
    resource: { type: 'file', id: output?.id ?? 'none' },
    details: { digest: `sha256:${sha256}`, bytes },
  }),
  async run({ tx, tenant, principal, input: { part, ...file } }) {
    const id = newId()
    await lockDigest(tx, tenant.id, file.sha256)
    // Before the row, so that a row never refers to missing bytes.
    await keep(tenant.id, part, file.sha256)
    const { createdAt } = await insertFile(tx, {
      tenantId: tenant.id,
      id,
      ...file,
      createdBy: principal.memberId,
    })
    const { sha256, ...shown } = file
    return { id, ...shown, digest: `sha256:${sha256}`, createdAt: createdAt.toISOString() }
  },
})

/** `POST /v1/files?name=…`: the body is the file, streamed to disk before any transaction starts. */
export const uploadRoute = declare(
  {
    name: 'files.upload',
    operation: upload,
    wire: {
      query: ReceivedFile.pick({ name: true }).partial(),
      body: { 'application/octet-stream': 'bytes', '*/*': 'bytes' },
      statuses: [201],
    },
  },
  authenticated(async (caller, request) => {
    const authorized = authorize(caller, upload)
    const name = parametersOf(request, ['name']).get('name') ?? 'file'
    const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim() || 'application/octet-stream'
    const received = await receive(caller.tenant.id, request)
    try {
      const stored = await perform(authorized, { ...received, name, mediaType }, { name: 'files.upload' })
      return Response.json(stored, {
        status: 201,
        headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-request-id': caller.requestId },
      })
    } finally {
      await discard(caller.tenant.id, received.part)
    }
  }),
)
