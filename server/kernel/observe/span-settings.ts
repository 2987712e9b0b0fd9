import { z } from 'zod'

/** Where spans of this process go, and which share of its traces. */
export type SpanSettings = { endpoint: string; headers: Record<string, string>; serviceName: string; ratio: number }

/** What each setting must be. */
export const spanSettingsExpected: Readonly<Record<string, string>> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'an http(s) address such as https://collector.example:4318',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'an http(s) address such as https://collector.example:4318/v1/traces',
  OTEL_EXPORTER_OTLP_HEADERS: 'names and values such as authorization=Bearer%20x,tenant=y',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'names and values such as authorization=Bearer%20x,tenant=y',
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
  OTEL_SERVICE_NAME: 'a name',
  OTEL_TRACES_SAMPLER: 'one of always_on, always_off, traceidratio, or one of them after parentbased_',
  OTEL_TRACES_SAMPLER_ARG: 'a number from 0 to 1',
}

/** The form of OTEL_EXPORTER_OTLP_HEADERS: that of W3C Baggage. */
const otlpHeaders = z
  .string()
  .transform(parseHeaders)
  .refine((headers): headers is Record<string, string> => headers !== undefined)

export const spanSettingsSchema = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: otlpHeaders.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/json').optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.literal('http/json').optional(),
  OTEL_SERVICE_NAME: z.string().default('countersign'),
  OTEL_TRACES_SAMPLER: z
    .string()
    .regex(/^(parentbased_)?(always_on|always_off|traceidratio)$/)
    .default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0|1|0?\.\d+|1\.0*|0\.)$/)
    .transform(Number)
    .optional(),
}

/** The settings of OpenTelemetry (opentelemetry.io/docs/specs/otel/protocol/exporter), as far as they concern spans. */
export function spanSettingsOf(settings: z.infer<z.ZodObject<typeof spanSettingsSchema>>): SpanSettings | undefined {
  const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  const sampler = settings.OTEL_TRACES_SAMPLER.replace('parentbased_', '')
  const ratio = { always_on: 1, always_off: 0 }[sampler] ?? settings.OTEL_TRACES_SAMPLER_ARG ?? 1
  if (endpoint === undefined || ratio === 0) return undefined
  const headers = settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS ?? {}
  return { endpoint, headers, serviceName: settings.OTEL_SERVICE_NAME, ratio }
}

/** `name=value,name=value`, each value percent-encoded; undefined for anything else. */
function parseHeaders(text: string): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      text.split(',').map((pair) => {
        const [, name = '', value = ''] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(pair) ?? []
        if (name === '') throw new URIError(pair)
        return [name.toLowerCase(), decodeURIComponent(value)]
      }),
    )
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
