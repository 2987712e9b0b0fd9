import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gauge } from './meters.ts'

const memory = gauge('countersign_memory_bytes', 'Memory of the process: resident, and the heap in use.')
const cpu = gauge('countersign_cpu_seconds', 'Processor time of the process since its start.')
const started = gauge('countersign_start_time_seconds', 'When the process started, in seconds since the epoch.')
const lag = gauge(
  'countersign_event_loop_lag_seconds',
  'How late timers ran since the last reading: half of the time (p50), in the worst hundredth (p99), at most (max).',
)

/** Measures the process itself, until the returned function is called. */
export function measureProcess(): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  // The histogram measures the interval of a timer of 10 ms, of which only the rest is a delay.
  const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - 0.01)
  const sources = [
    memory.from(() => {
      const { rss, heapUsed } = process.memoryUsage()
      return [
        { labels: { kind: 'resident' }, value: rss },
        { labels: { kind: 'heap' }, value: heapUsed },
      ]
    }),
    cpu.from(() => {
      const { user, system } = process.cpuUsage()
      return [{ labels: {}, value: (user + system) / 1e6 }]
    }),
    started.from(() => [{ labels: {}, value: Math.round(performance.timeOrigin / 1000) }]),
    lag.from(() => {
      const samples = [
        { labels: { quantile: 'p50' }, value: seconds(delay.percentile(50)) },
        { labels: { quantile: 'p99' }, value: seconds(delay.percentile(99)) },
        { labels: { quantile: 'max' }, value: seconds(delay.max) },
      ]
      delay.reset()
      return samples
    }),
  ]
  return () => {
    delay.disable()
    for (const stop of sources) stop()
  }
}
