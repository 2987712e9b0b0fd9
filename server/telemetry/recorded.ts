import { z } from 'zod'
import { JsonObject } from '#lib/schemas/common.ts'
import type { RouteWire } from '#server/kernel/route-wire.ts'

/** The result of recording a request. */
export const Recorded = z.object({
  auditId: z.uuid(),
  spans: z.int(),
  traces: z.int(),
  repeated: z.int(),
  /** The root of the tree of the added spans' leaves, in hex; undefined if none were added. */
  root: z.string().optional(),
})

/** The details of the audit record that commits to the spans of a request. */
export const batchDetails = ({ spans, traces, root, repeated }: z.infer<typeof Recorded>, rejected?: string) => ({
  spans,
  traces,
  root: `sha256:${root}`,
  repeated: repeated === 0 ? undefined : repeated,
  rejected: rejected === undefined ? undefined : Number(rejected),
})

/** OTLP/HTTP, https://opentelemetry.io/docs/specs/otlp/#otlphttp. `groups`: the list of the request's JSON form. */
export const otlpWire = (groups: string, answer: z.ZodType): RouteWire => ({
  body: {
    'application/json': z.object({ [groups]: z.array(JsonObject).optional() }),
    'application/x-protobuf': 'bytes',
  },
  answer: { 'application/json': answer, 'application/x-protobuf': 'bytes' },
  headers: ['content-encoding'],
})
