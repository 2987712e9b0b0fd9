import { z } from 'zod'
import type { JsonObject } from '#lib/json.ts'
import type { PatchOperation } from './patch.ts'
import type { Projection } from './projection.ts'

/** A resource, and the version that the request requires. */
export type Target = { id: string; ifMatch: string | undefined }

// What the transport has read of a request: its reader has checked it, with the errors of SCIM.
export const Reading = z.custom<{ id: string; projection: Projection }>()
export const Targeting = z.custom<Target>()
export const Creating = z.custom<{ resource: JsonObject }>()
/** `named`: the attributes that the body names, even if it takes their value away. */
export const Replacing = z.custom<Target & { resource: JsonObject; named: readonly string[] }>()
export const Patching = z.custom<Target & { operations: readonly PatchOperation[] }>()
