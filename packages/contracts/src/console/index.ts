export * from './person.js';
