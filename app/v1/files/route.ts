import { uploadRoute } from '#server/files/upload.ts'
import { methods } from '#server/kernel/rest.ts'

export const { GET, POST, PUT, PATCH, DELETE } = methods({ POST: uploadRoute })
