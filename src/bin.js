#!/usr/bin/env -S node --memory-reducer-gc-count=0 --max-semi-space-size=8 --no-allocation-site-pretenuring
import { existsSync } from 'node:fs'

const built = new URL('../dist/main.js', import.meta.url)
const source = new URL('./main.ts', import.meta.url)
await import((existsSync(built) ? built : source).href)
