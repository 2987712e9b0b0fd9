import { describe, expect, test } from 'vitest'
import { loadConfig } from '#server/kernel/config.ts'

const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example:4318/' }
const spans = (settings: Record<string, string>) => loadConfig(settings).spans

describe('the settings of OpenTelemetry', () => {
  test('are off without an endpoint, and with a sampler that records nothing', () => {
    expect(spans({ OTEL_SERVICE_NAME: 'x' })).toBeUndefined()
    expect(spans({ ...base, OTEL_TRACES_SAMPLER: 'always_off' })).toBeUndefined()
    expect(
      spans({ ...base, OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }),
    ).toBeUndefined()
  })

  test('give the address of traces, headers, the name and the share', () => {
    expect(spans(base)).toEqual({
      endpoint: 'https://collector.example:4318/v1/traces',
      headers: {},
      serviceName: 'countersign',
      ratio: 1,
    })
    expect(
      spans({
        ...base,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/own',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a=b, x-scope = 7',
        OTEL_SERVICE_NAME: 'countersign-eu',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
      }),
    ).toEqual({
      endpoint: 'http://127.0.0.1:9/own',
      headers: { authorization: 'Bearer a=b', 'x-scope': '7' },
      serviceName: 'countersign-eu',
      ratio: 0.25,
    })
  })

  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret'],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'a=%zz-secret'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('are refused where %s is invalid, and no secret is shown', (name, value) => {
    const load = () => loadConfig({ ...base, [name]: value })
    expect(load).toThrow(`${name} must be `)
    expect(load).not.toThrow('secret')
  })
})
