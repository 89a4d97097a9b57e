import workerpool from 'workerpool';
import task from './task.mjs';

workerpool.worker({ task });
