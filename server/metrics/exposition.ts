import { z } from 'zod'

export const Metric = z.object({
  name: z.string().regex(/^[a-z_][a-z0-9_]*$/),
  type: z.enum(['gauge', 'counter']),
  help: z.string(),
  samples: z.array(z.object({ labels: z.record(z.string(), z.string()), value: z.number() })),
})
type Metric = z.infer<typeof Metric>

/** Prometheus' text format 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats). */
export const exposition = (metrics: readonly Metric[]): string =>
  metrics
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ labels, value }) => `${name}${labelsOf(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join('')

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (value: string) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
