import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { onCores } from './cores.ts'

export interface Nginx extends AsyncDisposable {
  readonly url: string
  /** Returns the CPU time that the worker has used so far, in microseconds. */
  cpuUs(): number
}

export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).status === 0
}

/**
 * Starts nginx with one worker. Its `proxy_cache` stores the first answer of `origin`, and nginx then answers from it.
 */
export async function startNginx(origin: string, core: number | undefined): Promise<Nginx> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-nginx-'))
  const port = await freePort()
  writeFileSync(join(folder, 'nginx.conf'), configuration(folder, origin, port))
  const [command = '', ...args] = onCores(core, [
    'nginx',
    '-p',
    folder,
    '-c',
    'nginx.conf',
    '-e',
    'error.log',
  ])
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await answers(url)
  return {
    url,
    cpuUs: () => workerCpuUs(child.pid as number),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/**
 * Returns the content of nginx.conf. It sets `sendfile` and `tcp_nopush`, as the nginx.conf of Debian does. Without
 * them, a hit would cost nginx about a quarter less.
 */
function configuration(folder: string, origin: string, port: number): string {
  // If nginx is started as root, its worker runs as another user by default, and that user may not enter the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `
daemon off;
${user}
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000000;
  proxy_cache_path ${folder}/cache keys_zone=answers:10m;
  server {
    listen 127.0.0.1:${port} reuseport;
    location / {
      proxy_pass ${origin};
      proxy_cache answers;
      proxy_cache_valid 200 1h;
      proxy_ignore_headers Cache-Control;
    }
  }
}
`
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await (await fetch(url)).arrayBuffer()
      return
    } catch {
      await pause(50)
    }
  }
  throw new Error('nginx did not start')
}

/**
 * Returns the CPU time of nginx's worker in microseconds. The worker has one thread, and the first number in
 * its `schedstat` is that thread's time on a core, in nanoseconds.
 */
function workerCpuUs(master: number): number {
  const [worker] = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ')
  return Number(readFileSync(`/proc/${worker}/schedstat`, 'utf8').split(' ')[0]) / 1000
}
