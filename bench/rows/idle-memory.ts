import { setTimeout } from 'node:timers/promises'
import { Nodes } from '../localnet.ts'
import type { Bench, Outcome } from '../row.ts'
import { Programs, StartedDaemon } from '../started-daemon.ts'

const voters = 13
const idleMs = 60_000
const goalMiB = { remote: 110, localnet: 160 }

/**
 * Measures the memory of two daemons after an idle minute, and compares it with `goalMiB`. The figure is the worse of
 * two ratios: on a remote network and on the localnet.
 */
export async function idleMemoryAgainstGoals({ cores }: Bench): Promise<Outcome> {
  await using nodes = await Nodes.start(voters, cores?.rest)
  using programs = new Programs()
  const remoteOptions = {
    network: 'remote',
    scanClient: { seedUrls: nodes.urls, allowHttp: true, allowPrivate: true },
  }
  const start = (settings?: object) => StartedDaemon.start(programs.source, cores, settings)
  // The first start of each kind compiles code and stores it. The measured daemons use the stored code.
  for (const settings of [remoteOptions, {}]) await (await start(settings))[Symbol.asyncDispose]()
  await using remote = await start(remoteOptions)
  await using localnet = await start()
  await setTimeout(idleMs)
  const [remoteMiB, localnetMiB] = [remote.rssMiB, localnet.rssMiB]
  if (remoteMiB === undefined || localnetMiB === undefined)
    return { kind: 'skipped', why: 'this system has no /proc that says how much memory a process has' }
  return {
    kind: 'measured',
    figure: Math.max(remoteMiB / goalMiB.remote, localnetMiB / goalMiB.localnet),
    detail: { remoteMiB, localnetMiB },
  }
}
