import { z } from 'zod'
import { isJsonObject, type JsonObject } from '#lib/json.ts'

/** A resource as JSON, which the reader of the request or the store has checked. */
export const Resource = z.custom<JsonObject>(isJsonObject)
