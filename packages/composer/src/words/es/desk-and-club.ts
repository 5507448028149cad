import type { KindWords } from '../words.ts';

export const deskAndClub = {
  lawyer: {
    noun: 'Despacho de abogados',
    name: 'Despacho de Abogados',
    heads: ['El derecho, en palabras claras.', 'Consejo claro. De su lado.', 'Primero los hechos, luego la ley, luego un plan.'],
    leads: [
      'Le decimos dónde está, cuánto puede costar y qué haríamos en su lugar.',
      'Asesoramiento y defensa para personas y empresas que quieren saber a qué atenerse.',
    ],
    offersLabel: 'Áreas',
    offersHead: 'En qué asesoramos',
    offers: [
      ['Laboral', 'Contratos, despidos, acuerdos: a ambos lados de la mesa.'],
      ['Familia y herencias', 'Cuestiones difíciles, tratadas con discreción.'],
      ['Contratos y empresa', 'Acuerdos que aguantan también cuando se complica.'],
      ['Inmuebles y alquiler', 'Del contrato al defecto del que nadie quiere saber.'],
    ],
    about: [
      'Aconsejar empieza por escuchar',
      'Casi todos los casos cambian cuando se conoce la historia entera. Escuchamos, ordenamos lo que cuenta y damos una opinión franca. A veces es: no vaya a juicio.',
    ],
    action: 'Exponer su caso',
    image: 'Dibujo de una balanza',
  },

  tax: {
    noun: 'Asesoría fiscal',
    name: 'Asesoría Fiscal',
    heads: ['Números que dejan dormir.', 'Sus cuentas, en orden.', 'Impuestos, explicados y hechos.'],
    leads: [
      'Cuentas, declaraciones y consejo para autónomos, familias y empresas, antes del plazo.',
      'Llevamos sus libros y le decimos qué significan para su próxima decisión.',
    ],
    offersLabel: 'Servicios',
    offersHead: 'Lo que le quitamos de encima',
    offers: [
      ['Declaraciones', 'Completas, a tiempo y con todo lo que le corresponde.'],
      ['Contabilidad', 'Entran facturas, salen cifras claras.'],
      ['Nóminas', 'Importes correctos, formularios correctos, cada mes.'],
      ['Consejo', 'Empezar, crecer, traspasar: hacemos los números con usted.'],
    ],
    about: [
      'Las cifras cuentan algo',
      'Leemos sus cuentas con usted, no solo para usted. Así sabe qué queda y por qué. Las buenas decisiones suelen venir solas.',
    ],
    action: 'Pedir una primera cita',
    image: 'Dibujo de una calculadora',
  },

  architect: {
    noun: 'Estudio de arquitectura',
    name: 'Estudio Luz Norte',
    heads: ['Espacios que saben para qué están.', 'Construido alrededor de tu vida.', 'Luz, planta, detalle.'],
    leads: [
      'Casas, reformas y pequeños edificios públicos, pensados del terreno al pomo de la puerta.',
      'Proyectamos con lo que hay: la pendiente, el árbol del vecino, el presupuesto.',
    ],
    offersLabel: 'Proyectos',
    offersHead: 'Lo que proyectamos',
    offers: [
      ['Obra nueva', 'Del primer boceto a las llaves.'],
      ['Reforma', 'Muros viejos, vidas nuevas. Nos gustan ambos.'],
      ['Interiores', 'Almacenaje, luz y materiales como parte de la casa.'],
      ['Viabilidad', '¿Qué se puede hacer aquí? Una respuesta antes de comprar.'],
    ],
    about: [
      'Cada terreno tiene su respuesta',
      'Lo recorremos antes de dibujar, a distintas horas. Después hacemos maquetas, tiramos algunas y nos quedamos con la que encaja. La belleza suele ser cuestión de orden.',
    ],
    action: 'Hablar de tu proyecto',
    image: 'Dibujo de una casa en sección',
  },

  photographer: {
    noun: 'Fotografía',
    name: 'Luz y Media',
    heads: ['Mira. Ya es una foto.', 'El instante después de la pose.', 'Fotos que se vuelven a mirar.'],
    leads: [
      'Retratos, bodas e historias con luz de verdad y la menor ceremonia posible.',
      'Imágenes de gente que dice no ser fotogénica. Siempre lo es.',
    ],
    offersLabel: 'Trabajos',
    offersHead: 'Lo que fotografío',
    offers: [
      ['Retratos', 'Un paseo, una charla y, en medio, una foto que eres tú.'],
      ['Bodas', 'El día entero, casi sin que se note.'],
      ['Empresas', 'Caras y lugares como son, no como en un catálogo.'],
      ['Copias', 'Porque las mejores fotos merecen una pared.'],
    ],
    about: [
      'Espero',
      'La buena foto llega cuando nadie la espera, salvo yo. Así que hablo, me muevo y me quito de en medio. Apenas notarás la cámara.',
    ],
    action: 'Preguntar por una fecha',
    image: 'Dibujo de una cámara',
  },

  software: {
    noun: 'Software',
    name: 'Llano',
    heads: ['Menos clics. Más hecho.', 'La herramienta que no estorba.', 'Software que se entiende a la primera.'],
    leads: [
      'Un solo lugar para el trabajo que hoy vive en cinco hojas de cálculo y tres buzones.',
      'Rápido de poner en marcha, claro para todo el equipo, discreto el resto del tiempo.',
    ],
    offersLabel: 'Funciones',
    offersHead: 'Lo que hace',
    offers: [
      ['Todo en un sitio', 'Tareas, archivos y decisiones, donde todos los encuentran.'],
      ['Automático', 'Lo que se repite está hecho antes de pensarlo.'],
      ['Conectado', 'Pensado para convivir con las herramientas que ya tienes.'],
      ['Flexible', 'Se adapta a tu trabajo, y no al revés.'],
    ],
    about: [
      'Hecho para lo aburrido',
      'La parte interesante del trabajo es tuya. Nosotros nos ocupamos de las listas, los avisos y el copiar y pegar. Lo ideal es que te olvides de nosotros.',
    ],
    action: 'Pedir una demostración',
    image: 'Dibujo de una ventana con código',
  },

  association: {
    noun: 'Asociación',
    name: 'Buenos Vecinos',
    heads: ['Juntos llegamos más lejos.', 'Unas horas que cambian algo.', 'Todo el mundo puede ayudar.'],
    leads: [
      'Reunimos a gente que quiere cambiar algo aquí, con sus manos, su tiempo o sus ideas.',
      'Voluntarios, socios y amigos de una buena causa. Queda un sitio.',
    ],
    offersLabel: 'Qué hacemos',
    offersHead: 'Lo que hacemos juntos',
    offers: [
      ['Encontrarnos', 'Tardes en las que los extraños se hacen vecinos.'],
      ['Ayudar', 'Apoyo donde hace falta, sin largos formularios.'],
      ['Aprender', 'Charlas y talleres de los socios, para todos.'],
      ['Celebrar', 'Porque el buen trabajo merece una tarta.'],
    ],
    about: [
      'Todo empezó hablando',
      'Alguien dijo que habría que hacer algo, y otra persona: pues hagámoslo. Así seguimos trabajando. No hace falta experiencia, solo un poco de tiempo.',
    ],
    action: 'Participar',
    image: 'Dibujo de tres personas',
  },

  business: {
    noun: 'Empresa',
    name: 'Tu empresa',
    heads: ['Buen trabajo, sin rodeos.', 'Dinos qué necesitas.', 'A partir de aquí, nosotros.'],
    leads: ['Escuchamos, pensamos y luego hacemos lo que dijimos.', 'Una idea clara del buen trabajo, y la paciencia que requiere.'],
    offersLabel: 'Servicios',
    offersHead: 'Lo que hacemos',
    offers: [
      ['Consejo', 'Miramos tu pregunta desde más de un lado.'],
      ['Planificación', 'Un camino claro de la idea al resultado.'],
      ['Ejecución', 'Con cuidado, y por las personas que conociste.'],
      ['Seguimiento', 'Seguimos cerca cuando el trabajo está hecho.'],
    ],
    about: [
      'Con quién trabajas',
      'Hablas con quienes hacen el trabajo. Decimos qué sabemos hacer y qué hace mejor otro. Todos ahorramos tiempo.',
    ],
    action: 'Ponerse en contacto',
    image: 'Dibujo de edificios',
  },
} satisfies Record<string, KindWords>;
