import type { Page } from '@playwright/test'

/** Frames of one measurement. */
const frames = 150

/** Reads the CPU time of the page's main thread so far, in milliseconds. */
export async function mainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
}

/** Scrolls a list by `step` pixels in each frame: the time between frames (p95), and the main thread's CPU time for one, in milliseconds. */
export async function scrollFrames(
  page: Page,
  list: string,
  step: number,
): Promise<{ frameMs: number; frameCpuMs: number }> {
  const cpu = await mainThread(page)
  const before = await cpu()
  const frameMs = await page.evaluate(scroll, { list, frames, step })
  return { frameMs, frameCpuMs: ((await cpu()) - before) / frames }
}

/** In the page: the 95th percentile of the time between frames. */
async function scroll({ list, frames, step }: { list: string; frames: number; step: number }): Promise<number> {
  const element = document.querySelector(list)
  if (element === null) throw new Error('The list was not found.')
  element.scrollTop = 0
  const times: number[] = []
  const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
  let last = await frame()
  for (let count = 0; count < frames; count++) {
    element.scrollTop += step
    const now = await frame()
    times.push(now - last)
    last = now
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN
}
