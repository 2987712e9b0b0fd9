export type Sample = {
  labels: Record<string, string>
  value: number /** `_bucket`, `_sum` or `_count` of a histogram. */
  suffix?: string
}
export type Exposed = {
  name: string
  type: 'gauge' | 'counter' | 'histogram'
  help: string
  samples: readonly Sample[]
}

/** Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
export const exposition = (metrics: readonly Exposed[]): string =>
  metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value, suffix = '' }) => `${name}${suffix}${labelsOf(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

/** `{a="b"}`, or nothing without labels. */
export function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
